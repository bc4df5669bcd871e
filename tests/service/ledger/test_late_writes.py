"""Writes that came too late."""

import pytest

from mockbroker.ledger.late_writes import late_findings, zombie_findings
from mockbroker.ledger.partition_view import Outcome
from mockbroker.ledger.row import Row
from mockbroker.ledger.transaction_event import Decision, EpochGiven
from tests.service.support.ledger_rows import excerpt, logged, row

FENCED = EpochGiven(5, 0, "svc", 7, 1, 7, 0)
ABORT = Decision(5, 0, "svc", 7, 0, False)


def batch(came_at: int, appended_at: int) -> Row:
    return row(
        came_at, 0, appended_at=appended_at, producer_id=7, producer_epoch=0, base_sequence=0
    )


@pytest.mark.parametrize(
    ("appended_at", "outcome", "is_one"),
    [(4, "open", False), (6, "open", True), (6, "committed", True), (6, "aborted", False)],
)
def test_a_zombie_has_written_after_another_was_given_its_place(
    appended_at: int, outcome: Outcome, is_one: bool
) -> None:
    looked = excerpt(batch(appended_at, appended_at), epochs=[FENCED], batches=[logged(0, outcome)])
    found = zombie_findings(looked)
    assert bool(found) is is_one
    assert all(finding.note == "ZOMBIE" for finding in found)


def test_a_zombie_whose_batch_is_deleted_by_now_is_let_be() -> None:
    assert zombie_findings(excerpt(batch(6, 6), epochs=[FENCED])) == []


@pytest.mark.parametrize(
    ("came_at", "appended_at", "outcome", "is_one"),
    [
        (4, 6, "committed", True),
        (4, 6, "aborted", False),
        (6, 7, "committed", False),
        (3, 4, "committed", False),
    ],
)
def test_what_was_aborted_on_its_way_is_not_to_be_committed_with_the_next(
    came_at: int, appended_at: int, outcome: Outcome, is_one: bool
) -> None:
    looked = excerpt(batch(came_at, appended_at), decisions=[ABORT], batches=[logged(0, outcome)])
    found = late_findings(looked)
    assert bool(found) is is_one
    assert all("was sent before 'svc' aborted" in finding.text for finding in found)
