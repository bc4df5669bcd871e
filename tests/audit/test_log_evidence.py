"""Evidence of a log: truncations and batches of other leaders."""

import pytest

from mockbroker.events.produce_outcome import Appended
from tests.support.log_evidence import attempt, log_evidence


@pytest.mark.parametrize(
    ("cuts", "cut"),
    [
        ([], None),
        ([(4, 0)], None),
        ([(6, 12)], 12),
        ([(6, 13)], None),
        ([(6, 12), (7, 11)], 11),
        ([(6, 3)], 10),
    ],
)
def test_a_batch_is_truncated_by_events_after_its_append(
    cuts: list[tuple[int, int]], cut: int | None
) -> None:
    batch = attempt(5, 10, record_count=3)
    assert log_evidence(batch, cuts=cuts).cut_offset(batch) == cut


def test_a_retry_is_truncated_with_its_first_attempt() -> None:
    first = attempt(1, 0, producer_id=7)
    retry = attempt(9, 0, producer_id=7, appended=Appended.RETRY)
    looked = log_evidence(first, retry, cuts=[(5, 0)])
    assert looked.cut_offset(retry) == 0
    assert log_evidence(first, retry, cuts=[(10, 1)]).cut_offset(retry) is None
    assert log_evidence(retry, cuts=[(5, 0)]).cut_offset(retry) is None, "first try unknown"


def test_a_batch_of_another_leader_at_the_same_offset_is_a_different_one() -> None:
    batch = attempt(5, 10, record_count=3)
    assert log_evidence(batch, epoch_ends={0: 11}).cut_offset(batch) == 11
    assert log_evidence(batch, epoch_ends={0: -1}).cut_offset(batch) == 10
    assert log_evidence(batch, epoch_ends={1: 11}).cut_offset(batch) is None
    deleted = log_evidence(batch, epoch_ends={0: -1}, log_start=20)
    assert deleted.cut_offset(batch) is None
    retry = batch._replace(leader_epoch=1, appended=Appended.RETRY, appended_at=9)
    assert log_evidence(batch, retry, epoch_ends={0: 10}).cut_offset(retry) == 10


def test_a_retry_belongs_to_the_last_append_before_it() -> None:
    first, again = attempt(1, 0, producer_id=7), attempt(5, 0, producer_id=7)
    retry = attempt(9, 0, producer_id=7, appended=Appended.RETRY)
    looked = log_evidence(again, attempt(2, 0), first, retry, cuts=[(3, 0)])
    assert looked.cut_offset(first) == 0
    assert looked.cut_offset(retry) is None


def test_the_truncation_that_removed_a_batch_is_found() -> None:
    batch = attempt(5, 10)
    cuts = [(4, 0), (6, 12), (7, 3), (8, 1)]
    assert log_evidence(batch, cuts=cuts).cut_of(batch) == (7, 3, None)
    assert log_evidence(batch, cuts=cuts[:2]).cut_of(batch) is None


def test_what_an_isolated_broker_removes_is_only_what_it_appended_alone() -> None:
    batch = attempt(5, 10)
    alone = log_evidence(batch, cuts=[(6, 10, 0)])
    assert alone.cut_offset(batch) == 10
    assert alone.cut_of(batch) == (6, 10, 0)
    assert log_evidence(batch, cuts=[(6, 10, 1)]).cut_offset(batch) is None


def test_what_a_replaced_leader_appends_is_in_no_log() -> None:
    batch = attempt(5, 10)
    assert log_evidence(batch, elections=[(4, 1)]).cut_offset(batch) == 10
    assert log_evidence(batch, elections=[(4, 1)]).replacement_of(batch) == (4, 1)
    assert log_evidence(batch, elections=[(6, 1)]).cut_offset(batch) is None
    newer = batch._replace(leader_epoch=1)
    assert log_evidence(newer, elections=[(4, 1)]).cut_offset(newer) is None
