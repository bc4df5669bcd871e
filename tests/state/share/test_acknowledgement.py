"""Acknowledgements of whole batches, of parts and of others' records; renewals and releases."""

import pytest

from mockbroker.protocol.errors import ApiError
from mockbroker.state.share.acknowledgement import (
    AcknowledgementBatch,
    acknowledge,
    release_acquired_records,
)
from mockbroker.state.share.record_state import AcknowledgeType
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.share_settings import ShareSettings
from mockbroker.state.share.state_batch import StateBatch
from tests.state.share.share_partitions import MEMBER, expire, report, take

ACCEPT, RELEASE, REJECT = AcknowledgeType.ACCEPT, AcknowledgeType.RELEASE, AcknowledgeType.REJECT
GAP, RENEW = AcknowledgeType.GAP, AcknowledgeType.RENEW


def acquired() -> SharePartition:
    partition = SharePartition(0)
    take(partition, (0, 4))
    take(partition, (5, 9))
    return partition


@pytest.mark.parametrize(
    ("acknowledge_type", "written", "window"),
    [
        (ACCEPT, (0, 4, 2, 1), "5 to 9, 0 done"),
        (REJECT, (0, 4, 4, 1), "5 to 9, 0 done"),
        (GAP, (0, 4, 4, 1), "5 to 9, 0 done"),
        (RELEASE, (0, 4, 0, 1), "0 to 9, 0 done"),
    ],
)
def test_a_whole_batch(
    acknowledge_type: int, written: tuple[int, int, int, int], window: str
) -> None:
    partition = acquired()
    assert report(partition, 0, 4, acknowledge_type) == [written]
    assert partition.as_text()[0] == f"window {window}"


def test_acknowledged_records_wait_for_those_before_them() -> None:
    partition = acquired()
    report(partition, 5, 9, ACCEPT)
    assert partition.as_text()[0] == "window 0 to 9, 5 done"
    report(partition, 0, 4, ACCEPT)
    assert partition.as_text() == ["window 10 to 10, 0 done"]
    assert partition.next_fetch_offset() == 10


def test_a_part_of_a_batch() -> None:
    partition = acquired()
    assert report(partition, 1, 2, ACCEPT) == [(1, 1, 2, 1), (2, 2, 2, 1)]
    assert partition.as_text() == [
        "window 0 to 9, 2 done",
        "0-0 ACQUIRED 1 by m until 30000",
        "1-1 ACKNOWLEDGED 1",
        "2-2 ACKNOWLEDGED 1",
        "3-3 ACQUIRED 1 by m until 30000",
        "4-4 ACQUIRED 1 by m until 30000",
        "5-9 ACQUIRED 1 by m until 30000",
    ]
    report(partition, 0, 0, ACCEPT)
    assert partition.as_text()[0] == "window 3 to 9, 0 done"
    assert report(partition, 0, 9, ACCEPT)[0] == (3, 3, 2, 1), "done records are passed over"
    assert partition.as_text() == ["window 10 to 10, 0 done"]


def test_a_type_for_each_offset() -> None:
    partition = acquired()
    assert report(partition, 0, 4, ACCEPT, RELEASE, REJECT, GAP, RENEW) == [
        (0, 0, 2, 1),
        (1, 1, 0, 1),
        (2, 2, 4, 1),
        (3, 3, 4, 1),
    ]
    assert partition.as_text()[0] == "window 1 to 9, 2 done"
    assert partition.next_fetch_offset() == 1


@pytest.mark.parametrize(
    ("first", "last", "types", "member", "refusal"),
    [
        (0, 4, (5,), MEMBER, "INVALID_REQUEST: Invalid acknowledge type: [5]"),
        (0, 1, (1, -1), MEMBER, "INVALID_REQUEST: Invalid acknowledge type: [1, -1]"),
        (10, 12, (1,), MEMBER, "INVALID_REQUEST: Batch record not found. The first offset in"),
        (5, 10, (1,), MEMBER, "INVALID_REQUEST: Batch record not found. The last offset in"),
        (0, 4, (1,), "n", "INVALID_RECORD_STATE: Member is not the owner of batch record"),
        (0, 1, (1,), "n", "INVALID_RECORD_STATE: Member is not the owner of batch record"),
    ],
)
def test_refusals_change_nothing(
    first: int, last: int, types: tuple[int, ...], member: str, refusal: str
) -> None:
    partition = acquired()
    before = partition.as_text()
    with pytest.raises(ApiError) as caught:
        report(partition, first, last, *types, member=member)
    assert f"{caught.value.code.name}: {caught.value.why}".startswith(refusal)
    assert partition.as_text() == before


def test_records_that_are_not_acquired_cannot_be_acknowledged() -> None:
    partition = acquired()
    report(partition, 5, 9, ACCEPT)
    with pytest.raises(ApiError, match="The batch is not in the acquired state"):
        report(partition, 5, 9, ACCEPT)
    report(partition, 0, 0, RELEASE)
    with pytest.raises(ApiError, match="The offset is not acquired"):
        report(partition, 0, 1, ACCEPT)
    take(partition, (0, 4), member="n")
    with pytest.raises(ApiError, match="Member is not the owner of offset"):
        report(partition, 0, 1, ACCEPT)


def test_records_before_the_first_batch_are_unknown() -> None:
    partition = SharePartition(0, loaded=[StateBatch(5, 9, 0, 1)])
    with pytest.raises(ApiError, match="offsets are not found in the cache"):
        report(partition, 0, 4, ACCEPT)


def test_a_refused_batch_reverts_those_before_it() -> None:
    partition = acquired()
    before = partition.as_text()
    batches = [AcknowledgementBatch(0, 4, [ACCEPT]), AcknowledgementBatch(5, 10, [ACCEPT])]
    with pytest.raises(ApiError, match="The last offset in request"):
        acknowledge(partition, MEMBER, batches, 0)
    assert partition.as_text() == before


def test_a_change_that_could_not_be_written_is_reverted() -> None:
    partition = acquired()
    before = partition.as_text()
    report(partition, 0, 4, ACCEPT, is_written=False)
    assert partition.as_text() == before
    report(partition, 0, 9, RELEASE, is_written=False)
    assert partition.as_text() == before
    assert partition.next_fetch_offset() == 10


def test_records_whose_change_is_being_written_are_neither_acquired_nor_acknowledged() -> None:
    partition = acquired()
    change = acknowledge(partition, MEMBER, [AcknowledgementBatch(0, 4, [RELEASE])], 0)
    assert change.start_offset == 0
    assert partition.next_fetch_offset() == 10
    with pytest.raises(ApiError, match="The batch is not in the acquired state"):
        report(partition, 0, 4, ACCEPT)
    partition.complete(change, is_written=True)
    assert partition.next_fetch_offset() == 0


def test_a_lock_that_expires_while_a_change_is_written_releases_reverted_records() -> None:
    partition = acquired()
    change = acknowledge(partition, MEMBER, [AcknowledgementBatch(0, 4, [ACCEPT])], 0)
    assert expire(partition, 30_000) == [(5, 9, 0, 1)]
    partition.complete(change, is_written=False)
    assert partition.as_text()[1:] == ["0-4 AVAILABLE 1", "5-9 AVAILABLE 1"]
    assert partition.next_fetch_offset() == 0


def test_a_renewal_begins_the_lock_anew() -> None:
    partition = acquired()
    assert report(partition, 0, 4, RENEW, now_ms=20_000) == []
    assert report(partition, 6, 6, RENEW, now_ms=10_000) == []
    assert expire(partition, 30_000) == [(first, first, 0, 1) for first in (5, 7, 8, 9)]
    assert partition.next_deadline_ms() == 40_000
    assert expire(partition, 40_000) == [(6, 6, 0, 1)]
    assert expire(partition, 50_000) == [(0, 4, 0, 1)]
    assert partition.next_deadline_ms() is None


@pytest.mark.parametrize("last", [4, 3])
def test_renewals_may_be_disabled(last: int) -> None:
    partition = acquired()
    partition.settings = ShareSettings(renews_locks=False)
    with pytest.raises(ApiError, match="not enabled for the group"):
        report(partition, 0, last, RENEW)


def test_acknowledgements_of_deleted_records_are_accepted() -> None:
    partition = acquired()
    partition.log_start_moved(7)
    assert report(partition, 0, 4, ACCEPT) == []
    assert report(partition, 5, 9, ACCEPT) == [(7, 7, 2, 1), (8, 8, 2, 1), (9, 9, 2, 1)]
    assert partition.as_text() == [
        "window 7 to 9, 3 done",
        "0-4 ACQUIRED 1 by m until 30000",
        "5-5 ACQUIRED 1 by m until 30000",
        "6-6 ACQUIRED 1 by m until 30000",
        "7-7 ACKNOWLEDGED 1",
        "8-8 ACKNOWLEDGED 1",
        "9-9 ACKNOWLEDGED 1",
    ], "the window moves when the locks of the records before it end"
    expire(partition, 30_000)
    assert partition.as_text() == ["window 10 to 10, 0 done"]


def released(partition: SharePartition, member: str) -> list[StateBatch]:
    change = release_acquired_records(partition, member, 0)
    partition.complete(change, is_written=True)
    return list(change.batches)


def test_a_member_that_leaves_releases_its_records() -> None:
    partition = acquired()
    take(partition, (10, 14), member="n")
    report(partition, 6, 6, ACCEPT)
    assert released(partition, MEMBER) == [
        (0, 4, 0, 1),
        (5, 5, 0, 1),
        (7, 7, 0, 1),
        (8, 8, 0, 1),
        (9, 9, 0, 1),
    ]
    assert partition.next_fetch_offset() == 0
    assert partition.as_text()[-1] == "10-14 ACQUIRED 1 by n until 30000"
    assert released(partition, MEMBER) == []


def test_a_member_that_leaves_archives_records_before_the_window() -> None:
    partition = acquired()
    partition.log_start_moved(7)
    assert released(partition, MEMBER) == [
        (0, 4, 4, 1),
        (5, 5, 4, 1),
        (6, 6, 4, 1),
        (7, 7, 0, 1),
        (8, 8, 0, 1),
        (9, 9, 0, 1),
    ]
