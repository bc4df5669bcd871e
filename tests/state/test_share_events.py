"""Events of share partitions, from what their leaders have done."""

from mockbroker.protocol.types import Uuid
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import (
    AcknowledgedRange,
    OffsetRange,
    RecordsAcknowledged,
    RecordsArchived,
    RecordsReleased,
    SharePlace,
    ShareStartMoved,
    StateEvent,
)
from mockbroker.state.share.acknowledgement import AcknowledgementBatch, acknowledge
from mockbroker.state.share.record_state import AcknowledgeType
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.share_settings import ShareSettings
from mockbroker.state.share_events import ShareReport
from tests.state.share.share_partitions import MEMBER, report, take

ACCEPT, RELEASE, REJECT = AcknowledgeType.ACCEPT, AcknowledgeType.RELEASE, AcknowledgeType.REJECT
PLACE = SharePlace("g", Uuid(int=1), 0, 1)


def acknowledged(*ranges: tuple[int, int, int]) -> tuple[AcknowledgedRange, ...]:
    return tuple(AcknowledgedRange(*each) for each in ranges)


def delivered_once() -> SharePartition:
    """Return a partition with six records, each acquired for the first and last time."""
    partition = SharePartition(0, settings=ShareSettings(delivery_count_max=1))
    take(partition, (0, 5))
    return partition


def reported(partition: SharePartition, *batches: AcknowledgementBatch) -> list[StateEvent]:
    events: list[StateEvent] = []
    of_change = ShareReport(EventReporter(events.append), PLACE, partition)
    change = acknowledge(partition, MEMBER, batches, 0)
    partition.complete(change, is_written=True)
    of_change.acknowledged(MEMBER, batches, change.batches)
    return events


def test_equal_acknowledgements_are_one_range() -> None:
    types = (ACCEPT, ACCEPT, REJECT, REJECT, REJECT, ACCEPT)
    events = reported(delivered_once(), AcknowledgementBatch(0, 5, types))
    assert events == [
        RecordsAcknowledged(
            PLACE, MEMBER, 1, acknowledged((0, 1, ACCEPT), (2, 4, REJECT), (5, 5, ACCEPT))
        ),
        ShareStartMoved(PLACE, 0, 6),
    ]


def test_records_that_are_done_are_not_acknowledged_again() -> None:
    partition = delivered_once()
    report(partition, 0, 2, ACCEPT)
    done = AcknowledgementBatch(0, 1, (ACCEPT,))
    (event, *_) = reported(partition, done, AcknowledgementBatch(2, 3, (ACCEPT, RELEASE)))
    assert event == RecordsAcknowledged(PLACE, MEMBER, 1, acknowledged((3, 3, RELEASE)))


def test_an_acknowledgement_of_records_that_are_done_is_no_event() -> None:
    partition = delivered_once()
    report(partition, 0, 2, ACCEPT)
    assert reported(partition, AcknowledgementBatch(0, 1, (ACCEPT,))) == []


def test_only_released_records_are_archived_for_the_limit() -> None:
    events = reported(delivered_once(), AcknowledgementBatch(3, 4, (REJECT, RELEASE)))
    assert RecordsArchived(PLACE, 1, (OffsetRange(4, 4, 1),)) in events
    assert len([each for each in events if isinstance(each, RecordsArchived)]) == 1


def test_released_records_below_the_limit_are_not_archived() -> None:
    partition = SharePartition(0)
    take(partition, (0, 5))
    assert len(reported(partition, AcknowledgementBatch(0, 5, (RELEASE,)))) == 1


def test_expired_locks_have_no_member() -> None:
    partition = delivered_once()
    events: list[StateEvent] = []
    of_change = ShareReport(EventReporter(events.append), PLACE, partition)
    for change in partition.expire_locks(30_000):
        of_change.released(None, change.batches, is_stored=False)
    assert events[:2] == [
        RecordsReleased(PLACE, None, 1, (OffsetRange(0, 5, 1),), is_stored=False),
        RecordsArchived(PLACE, 1, (OffsetRange(0, 5, 1),)),
    ]
