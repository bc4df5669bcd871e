"""Batches that were produced on the narrow way, one or many: what they share, and what they count.

They are most of what happens under load. Their entries are numbers in columns, so that files are
written a run at a time.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from mockbroker.events.event_types import BatchProduced, RunProduced, Sender
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.events import LogPosition

KINDS_WITH_ANSWER: Final = ("request", "append", "answer")
KINDS_WITHOUT: Final = ("request", "append")


class ProducedRun(NamedTuple):
    """Batches of one sender to one partition, one behind the other, of as many records each."""

    sender: Sender
    log: LogPosition
    """After the last of them."""
    first_number: int
    correlation_ids: Sequence[int]
    crcs: Sequence[int]
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int
    is_transactional: bool
    base_offset: int

    @property
    def kinds(self) -> tuple[str, ...]:
        """The entries of each batch: without acks there is no answer."""
        return KINDS_WITH_ANSWER if self.sender.acks else KINDS_WITHOUT

    @property
    def follows(self) -> tuple[bool, bool]:
        """Whether last stable offset and high watermark follow the log's end here."""
        end = self.log.log_end_offset
        return self.log.last_stable_offset == end, self.log.high_watermark == end

    def one(self, index: int) -> "ProducedRun":
        """Return one of the batches, with the log as it was after it."""
        end = self.base_offset + (index + 1) * self.record_count
        stable_follows, watermark_follows = self.follows
        log = self.log._replace(
            last_stable_offset=end if stable_follows else self.log.last_stable_offset,
            high_watermark=end if watermark_follows else self.log.high_watermark,
            log_end_offset=end,
        )
        return self._replace(
            log=log,
            first_number=self.first_number + index,
            correlation_ids=self.correlation_ids[index : index + 1],
            crcs=self.crcs[index : index + 1],
            base_sequence=self.base_sequence + (index if self.producer_id >= 0 else 0),
            base_offset=end - self.record_count,
        )


def produced_run(happening: BatchProduced | RunProduced) -> ProducedRun:
    """Return what was produced, a batch as a run of one."""
    if isinstance(happening, RunProduced):
        return ProducedRun(
            happening.sender,
            happening.log,
            happening.first_number,
            happening.correlation_ids,
            happening.crcs,
            happening.producer_id,
            happening.producer_epoch,
            happening.base_sequence,
            1,
            False,
            happening.base_offset,
        )
    header = BatchHeader(*happening.fields)
    return ProducedRun(
        happening.sender,
        happening.log,
        happening.number,
        (happening.correlation_id,),
        (header.crc,),
        header.producer_id,
        header.producer_epoch,
        header.base_sequence,
        header.record_count,
        header.is_transactional,
        happening.base_offset,
    )
