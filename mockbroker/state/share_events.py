"""Construction of the events of share partitions, from what their leaders have done."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import (
    AcknowledgedRange,
    OffsetRange,
    RecordsAcknowledged,
    RecordsAcquired,
    RecordsArchived,
    RecordsReleased,
    SharePartitionLoaded,
    SharePlace,
    ShareStartMoved,
)
from mockbroker.state.share.acknowledgement import AcknowledgementBatch
from mockbroker.state.share.acquired_records import AcquiredRecords
from mockbroker.state.share.record_state import AcknowledgeType, RecordState
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.state_batch import StateBatch


class ShareReport:
    """Reports what one operation does to a share partition; create it before the operation."""

    __slots__ = ("_limit", "_place", "_reporter", "_share", "_start_offset")

    def __init__(self, reporter: EventReporter, place: SharePlace, share: SharePartition) -> None:
        """Note the start offset before the operation."""
        self._reporter: Final = reporter
        self._place: Final = place
        self._share: Final = share
        self._limit: Final = share.settings.delivery_count_max
        self._start_offset = share.start_offset

    def loaded(self) -> None:
        """Report that the leader has read the share partition."""
        share = self._share
        event = SharePartitionLoaded(self._place, share.start_offset, share.state_epoch)
        self._reporter.share_changed(event)

    def acquired(self, member_id: str, acquired: Iterable[AcquiredRecords]) -> None:
        """Report what a member has acquired."""
        ranges = tuple(OffsetRange(*each) for each in acquired)
        self._reporter.share_changed(RecordsAcquired(self._place, member_id, self._limit, ranges))
        self.start_moved()

    def acknowledged(
        self,
        member_id: str,
        batches: Iterable[AcknowledgementBatch],
        stored: Iterable[StateBatch],
    ) -> None:
        """Report acknowledgements as the member sent them, without records that were done."""
        ranges = tuple(each for batch in batches for each in _typed(batch, self._start_offset))
        event = RecordsAcknowledged(self._place, member_id, self._limit, ranges)
        self._reporter.share_changed(event)
        released = [each for each in ranges if each.acknowledge_type == AcknowledgeType.RELEASE]
        self._archived(
            each
            for each in stored
            if any(first <= each.first_offset <= last for first, last, _ in released)
        )

    def released(
        self, member_id: str | None, stored: Sequence[StateBatch], *, is_stored: bool
    ) -> None:
        """Report records of a member whose session has ended, or of expired locks."""
        event = RecordsReleased(self._place, member_id, self._limit, _ranges(stored), is_stored)
        self._reporter.share_changed(event)
        self._archived(stored)

    def start_moved(self) -> None:
        """Report the start offset if it has moved."""
        before, after = self._start_offset, self._share.start_offset
        if after != before:
            self._start_offset = after
            self._reporter.share_changed(ShareStartMoved(self._place, before, after))

    def _archived(self, stored: Iterable[StateBatch]) -> None:
        at_limit = [
            each
            for each in stored
            if each.delivery_state in {RecordState.ARCHIVING, RecordState.ARCHIVED}
            and each.delivery_count >= self._limit
        ]
        event = RecordsArchived(self._place, self._limit, _ranges(at_limit))
        self._reporter.share_changed(event)
        self.start_moved()


def _ranges(batches: Iterable[StateBatch]) -> tuple[OffsetRange, ...]:
    return tuple(OffsetRange(first, last, count) for first, last, _, count in batches)


def _typed(batch: AcknowledgementBatch, start_offset: int) -> Iterator[AcknowledgedRange]:
    """Yield the ranges of equal acknowledgements from the start offset on."""
    first = max(batch.first_offset, start_offset)
    if len(batch.types) == 1:
        if first <= batch.last_offset:
            yield AcknowledgedRange(first, batch.last_offset, batch.types[0])
        return
    while first <= batch.last_offset:
        last, kind = first, batch.type_of(first)
        while last < batch.last_offset and batch.type_of(last + 1) == kind:
            last += 1
        yield AcknowledgedRange(first, last, kind)
        first = last + 1
