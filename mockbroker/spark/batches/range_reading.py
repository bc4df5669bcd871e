"""Reader of the stored batches in one range of a partition."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from mockbroker.protocol.errors import DecodeError, ErrorCode
from mockbroker.protocol.messages.fetch import PartitionData
from mockbroker.protocol.types import Buffer, BufferChain
from mockbroker.spark.batches.batch_headers import Batch, BatchRow, cut_batches
from mockbroker.spark.format_errors import KafkaBatchesError
from mockbroker.wire.cluster import EARLIEST, LATEST, TopicIdPartition, WireCluster
from mockbroker.wire.partition_reader import PartitionReader


class BatchRange(NamedTuple):
    """The batches of a partition whose last offset is at or after `start` and before `end`."""

    partition: TopicIdPartition
    start: int
    end: int


class Reading(NamedTuple):
    """Contents of one response: batches in order of offsets, and the partition's state."""

    partition: TopicIdPartition
    batches: list[Batch]
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int

    def rows(self) -> Iterator[BatchRow]:
        """Yield the batches as rows."""
        state = (self.high_watermark, self.last_stable_offset, self.log_start_offset)
        for batch in self.batches:
            yield BatchRow(self.partition.topic, self.partition.partition, *batch, *state)


def read_range(
    cluster: WireCluster,
    wanted: BatchRange,
    *,
    may_lose: bool = False,
    may_begin_later: bool = False,
) -> Iterator[Reading]:
    """Yield the batches of a range; the next request is sent before a result is yielded.

    With `may_lose`, missing offsets are skipped; with `may_begin_later`, those that were removed
    from the beginning of the log meanwhile.

    Raises:
        KafkaBatchesError: batches are missing or invalid, or the log was truncated before `end`.
        WireError: the topic is gone, or no leader answers.

    """
    reader = _RangeReader(
        cluster, wanted, may_lose=may_lose, may_begin_later=may_lose or may_begin_later
    )
    while not reader.is_done:
        reading = reader.step()
        if reading.batches:
            yield reading


class _RangeReader:
    """Position of the reading of a range."""

    def __init__(
        self, cluster: WireCluster, wanted: BatchRange, *, may_lose: bool, may_begin_later: bool
    ) -> None:
        self._cluster = cluster
        self._partition, self._position, self._end = wanted
        self._reader = PartitionReader(cluster, self._partition)
        self._may_lose = may_lose
        self._may_begin_later = may_begin_later
        self._waits_since_s: float | None = None
        self._stable_offset: int | None = None

    @property
    def is_done(self) -> bool:
        return self._position >= self._end

    def step(self) -> Reading:
        """Read one response; the result has no batches if the step did something else."""
        data = self._reader.fetch(self._position)
        stable_offset = self._last_stable_offset(data)
        if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
            self._go_behind_the_gap()
            batches: list[Batch] = []
        elif not data.records:
            self._take_nothing(data)
            batches = []
        else:
            self._waits_since_s = None
            batches = self._cut(_in_one_piece(data.records))
            if not self.is_done:
                self._reader.fetch_ahead(self._position)
        return Reading(
            partition=self._partition,
            batches=batches,
            high_watermark=data.high_watermark,
            last_stable_offset=stable_offset,
            log_start_offset=data.log_start_offset,
        )

    def _last_stable_offset(self, data: PartitionData) -> int:
        """Return the last stable offset; before 1.0, only read_committed responses have it."""
        if data.last_stable_offset >= 0:
            return data.last_stable_offset
        if self._stable_offset is None:
            self._stable_offset = self._cluster.offset(self._partition, LATEST, is_committed=True)
        return self._stable_offset

    def _cut(self, records: Buffer) -> list[Batch]:
        try:
            cut = cut_batches(records, self._position, self._end)
        except DecodeError as error:
            why = f"{self._partition} from offset {self._position} on: {error}"
            raise KafkaBatchesError(why) from None
        if cut.next_offset <= self._position and not cut.is_past_end:
            at = f"{self._partition} at offset {self._position}"
            raise KafkaBatchesError(f"{at}: {len(records)} bytes, no whole batch")
        self._position = self._end if cut.is_past_end else cut.next_offset
        return cut.batches

    def _take_nothing(self, data: PartitionData) -> None:
        """Handle an empty response: batches were compacted or truncated, or are still to come."""
        if data.high_watermark >= self._end:
            self._position = self._end
        else:
            self._wait(
                f"{self._partition} was to be read up to offset {self._end}, and its high "
                f"watermark is {data.high_watermark}"
            )

    def _go_behind_the_gap(self) -> None:
        begins = self._cluster.offset(self._partition, EARLIEST)
        ends = self._cluster.offset(self._partition, LATEST)
        if begins <= self._position <= ends:
            self._wait(f"{self._partition}: no broker has offset {self._position}")
        elif self._position < begins:
            position = min(begins, self._end)
            if self._may_begin_later:
                self._position = position
            else:
                self._lose(position, f"the log begins at {begins}")
        else:
            self._lose(self._end, f"the log ends at {ends}")

    def _lose(self, position: int, why: str) -> None:
        if not self._may_lose:
            gone = f"{self._position} to {position - 1}"
            raise KafkaBatchesError(f"{self._partition}: offsets {gone} are missing: {why}")
        self._position = position

    def _wait(self, why: str) -> None:
        """Allow a retry until the time limit; each attempt has waited at the broker."""
        now_s = time.monotonic()
        self._waits_since_s = now_s if self._waits_since_s is None else self._waits_since_s
        if now_s - self._waits_since_s > self._cluster.patience_s:
            raise KafkaBatchesError(why)


def _in_one_piece(records: Buffer | BufferChain) -> Buffer:
    return bytes(records) if isinstance(records, BufferChain) else records
