"""The log of one partition: append, read, and where it starts and ends.

The laws:

1. `log_start_offset <= high_watermark <= log_end_offset`; none of them ever goes back.
2. A batch is stored by reference and never parsed. Its base offset is the log's end at the append;
   whoever appended it writes that into the bytes at once. The header is not kept and not changed.
3. Check everything, then change: a refused append leaves the log as it was. (It may have made other
   logs give back what their retention had left over.)
4. Reading returns whole batches. The first one contains the offset that was asked for.
5. A retry of one of its producer's last five batches is answered with that batch's offset and
   timestamp and not appended, even where that offset is before the log's start by now.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import (
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    BatchHeader,
    Buffer,
    TopicPartition,
)
from mockbroker.state.log.leader_epoch_cache import EpochEndOffset, LeaderEpochCache
from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.log_offset_snapshot import LogOffsetSnapshot
from mockbroker.state.log.log_segments import LogSegments
from mockbroker.state.log.log_slice import LogSlice
from mockbroker.state.log.memory_budget import BATCH_OVERHEAD_BYTES, MemoryBudget
from mockbroker.state.log.offset_lookup import (
    LogReader,
    TimestampAndOffset,
    find_offset,
    offsets_before,
)
from mockbroker.state.log.producer_append_info import ProducerStateOptions
from mockbroker.state.log.producer_state_entry import BatchMetadata, ProducerStateEntry
from mockbroker.state.log.producer_state_manager import ProducerStateManager
from mockbroker.state.log.retention import (
    Breach,
    breaches,
    deletable_segments,
    reclaimable_batches,
    size_breach,
    start_offset_breach,
)
from mockbroker.state.log.segment import LogSegment

HIGH_WATERMARK: Final = -1
"""The offset in DeleteRecords that stands for the high watermark."""

_STAMPED: Final = 0x08
"""The attribute of a batch whose timestamp the broker has set (LogAppendTime)."""


class PartitionLog:
    """The batches of one partition, its offsets, producers and leader epochs (`UnifiedLog`).

    Read `log_start_offset`, `high_watermark`, `log_end_offset` as attributes and never set them.
    The high watermark follows the log's end by itself, as with replicas that are always in sync,
    until `hold_high_watermark()`; from then on `advance_high_watermark()` moves it.
    """

    __slots__ = (
        "_budget",
        "_config",
        "_leader_epoch",
        "_segments",
        "follows_log_end",
        "high_watermark",
        "leader_epochs",
        "log_end_offset",
        "log_start_offset",
        "producers",
        "topic_partition",
    )

    def __init__(
        self,
        topic_partition: TopicPartition,
        config: LogConfig,
        *,
        budget: MemoryBudget,
        producer_options: ProducerStateOptions,
        now_ms: int,
    ) -> None:
        """Start empty at offset 0, and take part in `budget`."""
        self.topic_partition = topic_partition
        self._config = config
        self._budget = budget
        self.producers = ProducerStateManager(producer_options)
        self.leader_epochs = LeaderEpochCache()
        self._leader_epoch = self.leader_epochs.latest_epoch
        self.log_start_offset = 0
        self.high_watermark = 0
        self.log_end_offset = 0
        self.follows_log_end = True
        self._segments = LogSegments(config, budget, now_ms=now_ms)
        budget.register(self)

    def append(
        self, header: BatchHeader, data: Buffer, *, leader_epoch: int, now_ms: int
    ) -> LogAppendInfo:
        """Append a batch whose bytes were validated, or find that it is a retry.

        Raises:
            ApiError: RECORD_LIST_TOO_LARGE, INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER,
                UNKNOWN_PRODUCER_ID, KAFKA_STORAGE_ERROR.

        """
        size_bytes = len(data)
        max_timestamp = header.max_timestamp
        segments = self._segments
        segment = segments.active
        end_position = segments.end_position + size_bytes
        may_roll = end_position > segment.full_at_position or max_timestamp > segment.roll_after_ms
        if may_roll and size_bytes > self._config.segment_bytes:
            raise self._too_large(size_bytes)
        entry: ProducerStateEntry | None = None
        if header.producer_id > NO_PRODUCER_ID:
            checked = self.producers.check(header)
            if isinstance(checked, BatchMetadata):
                return LogAppendInfo.of_retry(checked, self.log_start_offset)
            entry = checked
        budget = self._budget
        charge_bytes = size_bytes + BATCH_OVERHEAD_BYTES
        if may_roll or budget.used_bytes + charge_bytes > budget.reclaim_above_bytes:
            segment = self._make_ready(charge_bytes, end_position, max_timestamp, now_ms)
        if leader_epoch != self._leader_epoch:
            self.assign_leader_epoch(leader_epoch)
        budget.used_bytes += charge_bytes
        info = LogAppendInfo()
        info.base_offset = base_offset = self.log_end_offset
        segment.base_offsets.append(base_offset)
        segment.end_positions.append(end_position)
        segment.buffers.append(data)
        segments.end_position = end_position
        segment.last_modified_ms = now_ms
        if max_timestamp > segment.max_timestamp_ms or max_timestamp < 0:
            segment.note_timestamp(max_timestamp, self._config.segment_ms)
        if entry is not None:
            self.producers.update(entry, header, base_offset)
        info.last_offset = last_offset = base_offset + header.last_offset_delta
        self.log_end_offset = last_offset + 1
        if self.follows_log_end:
            self.high_watermark = last_offset + 1
        info.log_append_time_ms = max_timestamp if header.attributes & _STAMPED else NO_TIMESTAMP
        info.log_start_offset = self.log_start_offset
        info.is_duplicate = False
        return info

    def append_plain(
        self, data: Buffer, max_timestamp: int, record_count: int, *, leader_epoch: int, now_ms: int
    ) -> bool:
        """Append a batch without a producer, from `log_end_offset` on, if that is all to be done.

        It is the usual case of `append`. False: there is more to do, and nothing has changed.
        """
        added = leader_epoch == self._leader_epoch and self._segments.append_plain(
            self.log_end_offset, data, max_timestamp, now_ms
        )
        if added:
            self._advance_log_end(record_count)
        return added

    def append_plain_run(
        self, batches: Sequence[Buffer], size_bytes: int, *, leader_epoch: int, now_ms: int
    ) -> bool:
        """Append batches of one record and one size, none later than `plain_until_ms`, at once."""
        added = leader_epoch == self._leader_epoch and self._segments.append_plain_run(
            self.log_end_offset, batches, size_bytes, now_ms
        )
        if added:
            self._advance_log_end(len(batches))
        return added

    @property
    def plain_until_ms(self) -> int:
        """The timestamp up to which a batch changes nothing in the indexes by time."""
        return self._segments.plain_until_ms

    def _advance_log_end(self, record_count: int) -> None:
        self.log_end_offset += record_count
        if self.follows_log_end:
            self.high_watermark = self.log_end_offset

    def assign_leader_epoch(self, leader_epoch: int) -> None:
        """Let a new leader begin at the log's end, before it has written anything (KIP-101)."""
        self.leader_epochs.assign(leader_epoch, self.log_end_offset)
        self._leader_epoch = leader_epoch

    # Offsets.

    @property
    def offsets(self) -> LogOffsetSnapshot:
        """The log's three offsets as they are now."""
        return LogOffsetSnapshot(self.log_start_offset, self.high_watermark, self.log_end_offset)

    @property
    def last_stable_offset(self) -> int:
        """The offset up to which read_committed reads: without transactions, the high watermark."""
        return self.high_watermark

    def hold_high_watermark(self) -> None:
        """Keep the high watermark where it is until `advance_high_watermark` moves it."""
        self.follows_log_end = False

    def advance_high_watermark(self, offset: int) -> None:
        """Move the high watermark forward to the end of a batch; never back, never past the end."""
        self.high_watermark = max(self.high_watermark, min(offset, self.log_end_offset))

    # Reading.

    def read(
        self, fetch_offset: int, *, max_bytes: int, up_to_offset: int, at_least_one: bool = True
    ) -> LogSlice:
        """Return batches from the one that contains `fetch_offset` on, before `up_to_offset`.

        They take `max_bytes`, the last cut off there, but the first whole if `at_least_one`
        (KIP-74). `up_to_offset` is the high watermark, the last stable offset or the log's end.

        Raises:
            ApiError: OFFSET_OUT_OF_RANGE before the log start offset or beyond the log's end.

        """
        if not self.log_start_offset <= fetch_offset <= self.log_end_offset:
            raise ApiError(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"{self.topic_partition} holds {self.log_start_offset} to {self.log_end_offset}, "
                f"not {fetch_offset}",
            )
        if fetch_offset >= up_to_offset:
            return LogSlice([], 0, fetch_offset)
        segments, end_position = self._segments, self._segments.end_position
        if up_to_offset < self.log_end_offset:
            end_position = segments.position_of(up_to_offset)
        log_slice = segments.read(fetch_offset, max_bytes, end_position, at_least_one=at_least_one)
        if log_slice.next_offset < fetch_offset:
            is_stuck = log_slice.first_entry_incomplete or not log_slice.buffers
            log_slice.next_offset = fetch_offset if is_stuck else self.log_end_offset
        return log_slice

    @property
    def size_bytes(self) -> int:
        """The size of all batches held."""
        return self._segments.size_bytes

    # Offsets by time and by leader epoch.

    def offset_for_timestamp(
        self, timestamp_ms: int, reader: LogReader, *, last_fetchable_offset: int
    ) -> TimestampAndOffset | None:
        """Answer ListOffsets: a special timestamp, or the first record that is not older.

        `last_fetchable_offset` is the high watermark, or the last stable offset for
        read_committed. None means that there is no such record.
        """
        return find_offset(
            timestamp_ms,
            self._segments,
            reader,
            log_start_offset=self.log_start_offset,
            last_fetchable_offset=last_fetchable_offset,
            leader_epochs=self.leader_epochs,
        )

    def legacy_offsets_before(
        self, timestamp_ms: int, max_offsets: int, *, now_ms: int
    ) -> list[int]:
        """Answer ListOffsets v0: the starts of segments, by when they were last appended to."""
        return offsets_before(
            timestamp_ms, self._segments, self.offsets, now_ms=now_ms, max_offsets=max_offsets
        )

    def end_offset_for_epoch(self, leader_epoch: int) -> EpochEndOffset:
        """Answer OffsetForLeaderEpoch (KIP-101, KIP-320)."""
        return self.leader_epochs.end_offset_for(leader_epoch, self.log_end_offset)

    # Deleting.

    @property
    def config(self) -> LogConfig:
        """The topic's settings."""
        return self._config

    def reconfigure(self, config: LogConfig) -> None:
        """Put new settings in force: for the next append and the next round of retention."""
        self._config = config
        self._segments.reconfigure(config)

    def delete_records(self, before_offset: int) -> int:
        """Move the log start offset up to `before_offset` (-1: the high watermark), and return it.

        Segments that lie wholly before it go at once; Kafka takes them minutes later.

        Raises:
            ApiError: POLICY_VIOLATION where the topic is only compacted, OFFSET_OUT_OF_RANGE beyond
                the high watermark.

        """
        if self._config.cleanup_compact and not self._config.cleanup_delete:
            raise ApiError(
                ErrorCode.POLICY_VIOLATION,
                f"cleanup.policy of topic {self.topic_partition.topic} does not contain delete",
            )
        offset = self.high_watermark if before_offset == HIGH_WATERMARK else before_offset
        if not 0 <= offset <= self.high_watermark:
            raise ApiError(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"the high watermark of {self.topic_partition} is {self.high_watermark}, "
                f"records cannot be deleted up to {offset}",
            )
        self._increment_log_start_offset(offset)
        dead = deletable_segments(self._segments, self.offsets, [start_offset_breach(offset)])
        self._segments.drop(dead)
        return self.log_start_offset

    def delete_old_segments(self, now_ms: int) -> int:
        """Apply retention, and return how many segments went.

        Called every `log.retention.check.interval.ms`.
        """
        allowed = breaches(
            self._config,
            log_start_offset=self.log_start_offset,
            end_position=self._segments.end_position,
            now_ms=now_ms,
        )
        return self._delete_segments(allowed, now_ms)

    def reclaim(self, *, now_ms: int) -> None:
        """Let go of all that is dead or exceeds `retention.bytes`, to the batch, not the segment.

        Kafka keeps up to a segment more. Where memory is short, that is the first to go: what
        `retention.bytes` promises stays.
        """
        segments = self._segments
        excess_bytes = 0
        if self._config.cleanup_delete and self._config.retention_bytes >= 0:
            is_breached = size_breach(self._config.retention_bytes, segments.end_position)
            self._delete_segments([is_breached], now_ms)
            excess_bytes = max(0, segments.size_bytes - self._config.retention_bytes)
        batches = reclaimable_batches(segments.oldest, self.offsets, excess_bytes=excess_bytes)
        if batches:
            segments.drop_head(batches)
            self._increment_log_start_offset(segments.oldest.base_offsets[0])

    def delete(self) -> None:
        """Give all memory back, because the partition is deleted; nothing may be called after."""
        self._segments.delete()
        self._budget.unregister(self)

    # State as text.

    def as_text(self) -> str:
        """Show the log's state, the batches' bytes apart, in a stable form."""
        offsets = ", ".join(map(str, self.offsets))
        lines = [f"{self.topic_partition}: {offsets}, leader epochs {self.leader_epochs!r}"]
        lines += [segment.as_text() for segment in self._segments]
        lines += [repr(entry) for entry in self.producers]
        return "\n".join(lines)

    def _make_ready(
        self, charge_bytes: int, end_position: int, max_timestamp: int, now_ms: int
    ) -> LogSegment:
        budget = self._budget
        if budget.used_bytes + charge_bytes > budget.reclaim_above_bytes:
            budget.make_room(charge_bytes, self.topic_partition.topic, now_ms=now_ms)
        segment = self._segments.active
        if end_position > segment.full_at_position or segment.is_due_to_roll(
            max_timestamp, now_ms, self._config.segment_ms
        ):
            return self._segments.roll(self.log_end_offset, now_ms)
        return segment

    def _too_large(self, size_bytes: int) -> ApiError:
        return ApiError(
            ErrorCode.RECORD_LIST_TOO_LARGE,
            f"a batch of {size_bytes} bytes exceeds segment.bytes={self._config.segment_bytes} "
            f"of topic {self.topic_partition.topic}",
        )

    def _delete_segments(self, allowed: Iterable[Breach], now_ms: int) -> int:
        deletable = deletable_segments(self._segments, self.offsets, allowed)
        if deletable == len(self._segments):
            self._segments.roll(self.log_end_offset, now_ms)
        if deletable:
            self._segments.drop(deletable)
            self._increment_log_start_offset(self._segments.oldest.base_offset)
        return deletable

    def _increment_log_start_offset(self, offset: int) -> None:
        if offset > self.log_start_offset:
            self.log_start_offset = offset
            self.leader_epochs.truncate_from_start(offset)
