"""What counts as lost, and what does not."""

import pytest

from mockbroker.ledger.losses import Loss, loss_findings, lost
from mockbroker.ledger.row import Answer, Appended, Flag, Row
from mockbroker.ledger.transaction_event import Decision
from tests.service.support.ledger_rows import excerpt, row

CUT = [(10, 1)]
"""At moment 10 the log was cut back to offset 1."""


def losses(*rows: Row, decisions: tuple[Decision, ...] = ()) -> list[Loss]:
    return list(lost(excerpt(*rows, truncations=CUT, decisions=decisions)))


def test_what_was_acknowledged_and_cut_off_is_lost() -> None:
    kept, gone, later = row(1, 0), row(2, 1), row(11, 1)
    assert losses(kept, gone, later) == [Loss(gone, 1)]


def test_of_a_run_the_end_may_be_lost() -> None:
    run = row(2, 0, record_count=5, batch_count=5)
    assert losses(run) == [Loss(run, 1)]


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": Answer.LOST},
        {"answer": Answer.UNWANTED},
        {"answer": Answer.NONE_YET},
        {"answer": Answer.GIVEN, "error_code": 7},
    ],
)
def test_what_was_not_acknowledged_was_never_promised(changes: dict[str, int]) -> None:
    assert losses(row(2, 1)._replace(**changes)) == []


def test_what_was_acknowledged_and_never_appended_is_lost() -> None:
    nowhere = row(2, -1, appended=Appended.NO)
    assert losses(nowhere) == [Loss(nowhere, -1)]
    (finding,) = loss_findings(excerpt(nowhere))
    assert "never appended" in finding.text


def test_a_retry_is_lost_with_the_first_try_that_it_was_told_of() -> None:
    first = row(2, 1, producer_id=7, producer_epoch=0, base_sequence=0, answer=Answer.LOST)
    before = first._replace(
        came_at=3, appended_at=3, appended=Appended.RETRY, answer=Answer.GIVEN, answered_at=3
    )
    after = before._replace(came_at=12, appended_at=12, answered_at=12)
    assert losses(first, before) == [Loss(before, 1)]
    assert losses(first, after) == [Loss(after, 1)], "the leader only remembered it"


def test_what_stands_there_once_more_is_not_lost() -> None:
    gone = row(2, 1, producer_id=7, producer_epoch=0, base_sequence=0)
    again = gone._replace(came_at=12, appended_at=12, answered_at=12)
    assert losses(gone, again) == []
    assert losses(gone, again._replace(base_sequence=1)) == [Loss(gone, 1)]


@pytest.mark.parametrize(
    ("decisions", "count"),
    [
        ((), 0),
        ((Decision(11, 0, "svc", 7, 0, False),), 0),
        ((Decision(11, 0, "svc", 7, 0, True),), 1),
        ((Decision(11, 0, "svc", 7, 0, True), Decision(12, 0, "svc", 7, 0, False)), 1),
        ((Decision(1, 0, "svc", 7, 0, True), Decision(12, 0, "svc", 7, 0, False)), 0),
        ((Decision(11, 0, "svc", 8, 0, True),), 0),
    ],
)
def test_of_a_transaction_is_lost_what_was_committed(
    decisions: tuple[Decision, ...], count: int
) -> None:
    batch = row(2, 1, producer_id=7, producer_epoch=0, base_sequence=0, flags=Flag.TRANSACTIONAL)
    assert len(losses(batch, decisions=decisions)) == count


def test_a_log_that_ends_too_early_has_lost_something_though_nobody_told() -> None:
    gone = row(2, 5)
    assert list(lost(excerpt(gone, log_end=5))) == [Loss(gone, 5)]
    assert list(lost(excerpt(gone, log_end=6))) == []


def test_a_loss_is_told_and_drawn() -> None:
    gone = row(2, 1, record_count=2, producer_id=7, producer_epoch=0, base_sequence=4)
    (finding,) = loss_findings(excerpt(gone, truncations=CUT, clients={1: "shop"}))
    assert finding.text == (
        "orders-0: offsets 1..2 (producer 7 epoch 0 #4..5): acknowledged to 'shop' (call 2), and "
        "gone: the log was cut back to offset 1"
    )
    assert finding.ghost is not None
    assert finding.ghost[:2] == (1, 2)
