"""What counts as lost, and what does not."""

from typing import Any

import pytest

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.log_evidence import Decided
from mockbroker.audit.rules.loss_rules import Loss, loss_findings, lost
from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from tests.support.log_evidence import attempt, log_evidence

CUT = [(10, 1)]
"""At moment 10 the log was truncated to offset 1."""


def losses(*attempts: Attempt, decisions: tuple[Decided, ...] = ()) -> list[Loss]:
    return list(lost(log_evidence(*attempts, cuts=CUT, decisions=decisions)))


def test_what_was_acknowledged_and_cut_off_is_lost() -> None:
    kept, gone, later = attempt(1, 0), attempt(2, 1), attempt(11, 1)
    assert losses(kept, gone, later) == [Loss(gone, 1)]


def test_of_a_run_the_end_may_be_lost() -> None:
    run = attempt(2, 0, record_count=5)
    assert losses(run) == [Loss(run, 1)]


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": ResponseOutcome.LOST},
        {"answer": ResponseOutcome.UNWANTED},
        {"answer": ResponseOutcome.NONE_YET},
        {"answer": ResponseOutcome.GIVEN, "error": "REQUEST_TIMED_OUT"},
    ],
)
def test_what_was_not_acknowledged_was_never_promised(changes: dict[str, Any]) -> None:
    assert losses(attempt(2, 1)._replace(**changes)) == []


def test_what_was_acknowledged_and_never_appended_is_lost() -> None:
    nowhere = attempt(2, -1, appended=Appended.NO)
    assert losses(nowhere) == [Loss(nowhere, -1)]
    (finding,) = loss_findings(log_evidence(nowhere))
    assert "never appended" in finding.text
    assert (finding.rule, finding.first_offset) == ("LOST_ACKED", None)


def test_a_retry_is_lost_with_the_first_try_that_it_was_told_of() -> None:
    first = attempt(
        2, 1, producer_id=7, producer_epoch=0, base_sequence=0, answer=ResponseOutcome.LOST
    )
    before = first._replace(
        came_at=3,
        appended_at=3,
        appended=Appended.RETRY,
        answer=ResponseOutcome.GIVEN,
        answered_at=3,
    )
    after = before._replace(came_at=12, appended_at=12, answered_at=12)
    assert losses(first, before) == [Loss(before, 1)]
    assert losses(first, after) == [Loss(after, 1)], "the leader only remembered it"


def test_what_stands_there_once_more_is_not_lost() -> None:
    gone = attempt(2, 1, producer_id=7, producer_epoch=0, base_sequence=0)
    again = gone._replace(came_at=12, appended_at=12, answered_at=12)
    assert losses(gone, again) == []
    assert losses(gone, again._replace(base_sequence=1)) == [Loss(gone, 1)]


@pytest.mark.parametrize(
    ("decisions", "count"),
    [
        ((), 0),
        ((Decided(11, 7, 0, False),), 0),
        ((Decided(11, 7, 0, True),), 1),
        ((Decided(11, 7, 0, True), Decided(12, 7, 0, False)), 1),
        ((Decided(1, 7, 0, True), Decided(12, 7, 0, False)), 0),
        ((Decided(11, 8, 0, True),), 0),
        ((Decided(11, 7, 1, True),), 0),
        ((Decided(11, 7, None, True),), 1),
    ],
)
def test_of_a_transaction_is_lost_what_was_committed(
    decisions: tuple[Decided, ...], count: int
) -> None:
    batch = attempt(2, 1, producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True)
    assert len(losses(batch, decisions=decisions)) == count


def test_a_log_that_ends_too_early_has_lost_something_though_nobody_told() -> None:
    gone = attempt(2, 5)
    assert list(lost(log_evidence(gone, log_end=5))) == [Loss(gone, 5)]
    assert list(lost(log_evidence(gone, log_end=6))) == []


def test_a_loss_is_told_and_drawn() -> None:
    gone = attempt(2, 1, record_count=2, producer_id=7, producer_epoch=0, base_sequence=4)
    gone = gone._replace(client_id="shop")
    (finding,) = loss_findings(log_evidence(gone, cuts=CUT))
    assert finding.text == (
        "orders-0: offsets 1..2 (producer 7 epoch 0 #4..5): acknowledged to 'shop' (call 2), and "
        "lost: the log was truncated to offset 1"
    )
    assert (finding.rule, finding.evidence) == ("ACKED_NOT_DURABLE", (2, 10))
    assert (finding.first_offset, finding.last_offset, finding.producer_id) == (1, 2, 7)


def test_it_is_told_how_far_the_log_was_cut_back() -> None:
    (finding,) = loss_findings(log_evidence(attempt(2, 5), cuts=[(10, 3)]))
    assert "the log was truncated to offset 3" in finding.text
    (finding,) = loss_findings(log_evidence(attempt(2, 5), epoch_ends={0: 4}))
    assert "from offset 5 on, the log has records of another leader, or none" in finding.text
