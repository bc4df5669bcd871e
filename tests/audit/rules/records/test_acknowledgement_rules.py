"""Rules on lost and duplicate records, by requests and answers in a journal."""

from typing import Any

import pytest

from mockbroker.audit.coordinated import Decisions
from mockbroker.audit.judgement import judge
from mockbroker.audit.log_facts import REPEATED
from mockbroker.audit.rule_context import Machine, RuleContext
from mockbroker.audit.rules.records.acknowledgement_rules import Acknowledgements
from mockbroker.audit.runs.run import Run, exact_kind
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS
from mockbroker.audit.storage import attempt_store
from mockbroker.audit.verdict import Verdict
from tests.support.runs import (
    answered,
    appended,
    event,
    lost,
    produced,
    sent,
)

SUM = {"crc": 77}
IDEMPOTENT: dict[str, Any] = {"producer_id": 7, "producer_epoch": 0}
CUT = event(90, "truncation", log_end_offset=1)


def judged(*runs: Run) -> Verdict:
    context = RuleContext(A_JOURNAL, THRESHOLDS)
    machines: list[Machine] = [Acknowledgements(context), Decisions(context)]
    for run in runs:
        for machine in machines:
            is_repeated = run.kind == "append" and run.is_duplicate
            kind = REPEATED if is_repeated else exact_kind(run)
            if kind in machine.handlers:
                machine.handlers[kind](machine, run)
    for machine in machines:
        machine.end()
    return context.outcome.verdict(A_JOURNAL, len(runs))


def rules(*runs: Run) -> list[str]:
    return [finding.rule for finding in judged(*runs).findings]


def test_acknowledged_and_stored_records_are_clean() -> None:
    assert rules(*produced(1, 1, 0), *produced(4, 2, 1)) == []


def test_an_acknowledged_batch_that_was_never_appended_is_lost() -> None:
    (finding,) = judged(sent(1, 1, record_count=3), answered(2, 1)).findings
    assert finding.rule == "LOST_ACKED"
    assert finding.text == (
        "orders-0: a batch of 3 was acknowledged to 'shop' (call 1), but never appended"
    )
    assert finding.evidence == (1, 2)
    assert rules(sent(1, 1), answered(2, 1, "REQUEST_TIMED_OUT")) == []
    assert rules(answered(2, 1)) == [], "the journal begins later"
    assert rules(sent(1, 1)) == [], "nothing was answered"


def test_what_a_replaced_leader_acknowledged_was_not_durable() -> None:
    elected = event(4, "leader", broker=2, leader_epoch=1)
    private = produced(5, 2, 1)
    verdict = judge([*produced(1, 1, 0), elected, *private])
    (finding,) = verdict.findings
    assert (finding.rule, finding.first_offset) == ("ACKED_NOT_DURABLE", 1)
    assert finding.evidence == (4, 5, 6, 7)
    nobody = elected._replace(broker=-1)
    assert judge([*produced(1, 1, 0), nobody, *private]).findings == ()


def test_what_a_broker_truncates_when_it_rejoins_proves_the_loss_of_its_own_records() -> None:
    elected = event(4, "leader", broker=2, leader_epoch=1)
    others = produced(8, 3, 1, leader_epoch=1)
    rejoined = event(11, "truncation", broker=1, leader_epoch=0, log_end_offset=1)
    runs = [*produced(1, 1, 0), elected, *produced(5, 2, 1), *others, rejoined]
    (finding,) = judge(runs).findings
    assert (finding.rule, finding.first_offset) == ("ACKED_NOT_DURABLE", 1)
    assert "lost: the log was truncated to offset 1" in finding.text
    assert finding.evidence == (4, 5, 6, 7, 11)
    assert judge([*produced(1, 1, 0), elected, *others, rejoined]).findings == ()


def test_an_acknowledged_batch_that_is_truncated_was_not_durable() -> None:
    runs = [*produced(1, 1, 0), *produced(4, 2, 1, **IDEMPOTENT, base_sequence=0), CUT]
    (finding,) = judged(*runs).findings
    assert (finding.rule, finding.evidence) == ("ACKED_NOT_DURABLE", (4, 5, 6, 90))
    again = produced(91, 3, 1, **IDEMPOTENT, base_sequence=0)
    assert rules(*runs, *again) == [], "it stands there again"
    deleted = event(99, "topic_deleted", partition=None)
    assert rules(*runs, deleted) == ["ACKED_NOT_DURABLE"], "it was lost before"
    assert rules(*runs[:-1], deleted) == []


def test_a_batch_that_another_leader_overwrote_was_not_durable() -> None:
    runs = [*produced(1, 1, 0), *produced(4, 2, 1), *produced(7, 3, 1, leader_epoch=1)]
    (finding,) = judged(*runs).findings
    assert (finding.rule, finding.first_offset) == ("ACKED_NOT_DURABLE", 1)
    assert "from offset 1 on, the log has records of another leader" in finding.text


def test_only_a_committed_batch_of_a_transaction_had_to_be_durable() -> None:
    batch = produced(1, 1, 1, **IDEMPOTENT, base_sequence=0, is_transactional=True)
    for commit, expected in ((True, ["ACKED_NOT_DURABLE"]), (False, [])):
        state = "PrepareCommit" if commit else "PrepareAbort"
        decided = event(
            5, "transaction", transactional_id="svc", state_before="Ongoing", state_after=state,
            topic=None, partition=None, **IDEMPOTENT,
        )  # fmt: skip
        kind = "COMMIT" if commit else "ABORT"
        ended = event(6, "marker", marker=kind, producer_id=7, producer_epoch=1, base_offset=2)
        assert rules(*batch, decided, CUT) == expected
        assert rules(*batch, ended, CUT) == expected
    assert rules(*batch, CUT) == [], "it is not decided"


def test_an_epoch_bump_at_the_end_does_not_hide_the_transaction_of_a_batch() -> None:
    batch = produced(2, 1, 1, **IDEMPOTENT, base_sequence=0, is_transactional=True)
    begun, ended = (
        event(
            seq, "transaction", transactional_id="svc", state_before=before, state_after=after,
            topic=None, partition=None, producer_id=7, producer_epoch=epoch,
        )
        for seq, before, after, epoch in (
            (1, "Empty", "Ongoing", 0),
            (6, "Ongoing", "PrepareCommit", 1),
        )
    )  # fmt: skip
    assert rules(begun, *batch, ended, CUT) == ["ACKED_NOT_DURABLE"]


def test_a_resend_without_idempotence_after_a_lost_answer_is_a_duplicate() -> None:
    first = [sent(1, 1), appended(2, 1, 0, **SUM), lost(3, 1)]
    resend = produced(4, 2, 1, connection=2, **SUM)
    (finding,) = judged(*first, *resend).findings
    assert (finding.rule, finding.first_offset) == ("DUPLICATE_PAYLOAD", 1)
    assert "the response to call 1 was lost" in finding.text
    assert rules(*first, *produced(4, 2, 1, connection=2, crc=78)) == []
    assert rules(*produced(1, 1, 0, **SUM), *resend) == [], "an application may send twice"
    without = [run._replace(crc=None) for run in (*first, *resend)]
    assert rules(*without) == [], "a journal without checksums"


def test_a_request_that_was_applied_twice_is_a_duplicate() -> None:
    runs = [
        sent(1, 1),
        appended(2, 1, 0, **SUM),
        appended(3, 1, 1, **SUM),
        answered(4, 1),
    ]
    (finding,) = judged(*runs).findings
    assert "the request was applied twice" in finding.text


def test_batches_without_acks_are_neither_lost_nor_duplicates() -> None:
    first = [sent(1, 1, acks=0), appended(2, 1, 0, **SUM)]
    second = [sent(3, 2, acks=0, connection=2), appended(4, 2, 1, **SUM)]
    assert rules(*first, *second, CUT) == []


def test_a_recognised_retry_counts_as_its_first_attempt() -> None:
    first = [
        sent(1, 1, **IDEMPOTENT, base_sequence=0),
        appended(2, 1, 1, **IDEMPOTENT, base_sequence=0),
        lost(3, 1),
    ]
    retry = produced(4, 2, 1, **IDEMPOTENT, base_sequence=0, is_duplicate=True)
    assert rules(*first, *retry) == []
    assert rules(*first, *retry, CUT) == ["ACKED_NOT_DURABLE"]


@pytest.mark.parametrize("in_memory_max", [1 << 20, 100])
def test_a_loss_between_retries_is_found_also_in_a_log_that_is_in_a_file(
    in_memory_max: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt_store, "_IN_MEMORY_MAX", in_memory_max)
    monkeypatch.setattr(attempt_store, "_READ_AT_ONCE", 104)
    retried = [
        *produced(1, 1, 0, **IDEMPOTENT, base_sequence=0),
        *produced(4, 2, 0, **IDEMPOTENT, base_sequence=0, is_duplicate=True),
    ]
    never_appended = [sent(7, 3, **IDEMPOTENT, base_sequence=1), answered(8, 3)]
    later = produced(9, 4, 1, **IDEMPOTENT, base_sequence=2)
    assert rules(*retried, *never_appended, *later) == ["LOST_ACKED"]


def test_rows_of_other_apis_are_ignored() -> None:
    group = event(1, "request", api="JoinGroup")
    assert rules(group, event(2, "answer", api="Fetch"), event(3, "append")) == []
