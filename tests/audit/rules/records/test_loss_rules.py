"""Rules on lost batches of a running cluster."""

from typing import Any

import pytest

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.log_evidence import Decided
from mockbroker.audit.rules.records.loss_rules import Loss, loss_findings, lost
from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from tests.support.log_evidence import attempt, log_evidence

CUT = [(10, 1)]
"""At moment 10 the log was truncated to offset 1."""


def losses(*attempts: Attempt, decisions: tuple[Decided, ...] = ()) -> list[Loss]:
    log = log_evidence(*attempts, cuts=CUT, decisions=decisions)
    return [each for each in lost(log) if each.is_promised(log)]


def test_an_acknowledged_batch_that_was_truncated_is_lost() -> None:
    kept, gone, later = attempt(1, 0), attempt(2, 1), attempt(11, 1)
    assert losses(kept, gone, later) == [Loss(gone, 1)]


def test_the_end_of_a_run_may_be_lost() -> None:
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
def test_an_unacknowledged_batch_is_not_lost(changes: dict[str, Any]) -> None:
    assert losses(attempt(2, 1)._replace(**changes)) == []


def test_an_acknowledged_batch_that_was_never_appended_is_lost() -> None:
    nowhere = attempt(2, -1, appended=Appended.NO)
    assert losses(nowhere) == [Loss(nowhere, -1)]
    (finding,) = loss_findings(log_evidence(nowhere))
    assert "never appended" in finding.text
    assert (finding.rule, finding.first_offset) == ("LOST_ACKED", None)


def test_a_retry_is_lost_with_the_first_attempt_whose_offset_it_got() -> None:
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


def test_a_batch_that_was_appended_again_is_not_lost() -> None:
    gone = attempt(2, 1, producer_id=7, producer_epoch=0, base_sequence=0)
    again = gone._replace(came_at=12, appended_at=12, answered_at=12)
    assert losses(gone, again) == []
    assert losses(gone, again._replace(base_sequence=1)) == [Loss(gone, 1)]
    assert losses(gone._replace(crc=5), again._replace(crc=5)) == [], "no response came"


def test_another_batch_with_the_same_sequence_is_no_copy() -> None:
    gone = attempt(4, 1, producer_id=7, producer_epoch=0, base_sequence=0)
    before = gone._replace(came_at=2, appended_at=2, answered_at=2, base_offset=0)
    assert losses(before, gone) == [Loss(gone, 1)], "the client knew that the first one is stored"
    assert losses(before._replace(answered_at=5), gone) == []
    gone, after = gone._replace(crc=5), gone._replace(came_at=12, appended_at=12, crc=6)
    assert losses(gone, after) == [Loss(gone, 1)]
    assert losses(before._replace(crc=5), gone) == []


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
def test_only_a_committed_batch_of_a_transaction_is_lost(
    decisions: tuple[Decided, ...], count: int
) -> None:
    batch = attempt(2, 1, producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True)
    assert len(losses(batch, decisions=decisions)) == count


def test_a_log_that_ends_too_early_has_lost_batches_without_a_truncation_event() -> None:
    gone = attempt(2, 5)
    assert list(lost(log_evidence(gone, log_end=5))) == [Loss(gone, 5)]
    assert list(lost(log_evidence(gone, log_end=6))) == []


def test_a_loss_has_a_text_offsets_and_evidence() -> None:
    gone = attempt(2, 1, record_count=2, producer_id=7, producer_epoch=0, base_sequence=4)
    gone = gone._replace(client_id="shop")
    (finding,) = loss_findings(log_evidence(gone, cuts=CUT))
    assert finding.text == (
        "orders-0: offsets 1..2 (producer 7 epoch 0 #4..5): acknowledged to 'shop' (call 2), and "
        "lost: the log was truncated to offset 1"
    )
    assert (finding.rule, finding.evidence) == ("ACKED_NOT_DURABLE", (2, 10))
    assert (finding.first_offset, finding.last_offset, finding.producer_id) == (1, 2, 7)


def test_a_loss_names_the_offset_of_the_truncation() -> None:
    (finding,) = loss_findings(log_evidence(attempt(2, 5), cuts=[(10, 3)]))
    assert "the log was truncated to offset 3" in finding.text
    (finding,) = loss_findings(log_evidence(attempt(2, 5), epoch_ends={0: 4}))
    assert "from offset 5 on, the log has records of another leader, or none" in finding.text
