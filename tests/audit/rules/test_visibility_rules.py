"""Rules on batches that read_committed readers must not get."""

import pytest

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import RuleContext, apply
from mockbroker.audit.rules.visibility_rules import Shown, Visibility, visible_finding
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS
from tests.support.runs import appended, event

OPEN = {"producer_id": 7, "producer_epoch": 0, "is_transactional": True}
WITHOUT_STATE = '{"event":"leader_election","to":2,"state":"none"}'


def found(*runs: Run) -> list[Finding]:
    context = RuleContext(A_JOURNAL, THRESHOLDS)
    machine = Visibility(context)
    for run in runs:
        apply(machine, run)
    machine.end()
    return context.outcome.findings


def opened(seq: int, base_offset: int, stable: int = 0) -> Run:
    return appended(seq, seq, base_offset, last_stable_offset=stable, **OPEN)


def marker(seq: int, kind: str, offset: int, stable: int | None = None) -> Run:
    return event(
        seq, "marker", marker=kind, producer_id=7, producer_epoch=0, base_offset=offset,
        last_offset=offset, last_stable_offset=offset + 1 if stable is None else stable,
    )  # fmt: skip


def test_an_aborted_transaction_that_blocked_readers_is_no_finding() -> None:
    assert found(opened(1, 0), opened(2, 1), marker(3, "ABORT", 2)) == []
    assert found(opened(1, 0)) == []


def test_an_aborted_batch_that_readers_could_read_is_found() -> None:
    shown = appended(2, 2, 1, last_stable_offset=2)
    (finding,) = found(opened(1, 0), shown, marker(3, "ABORT", 2))
    assert finding.rule == "ABORTED_VISIBLE"
    assert finding.text == (
        "orders-0: read_committed readers get offsets 0 to 0 of producer 7 epoch 0, whose "
        "transaction was aborted"
    )
    assert finding.evidence == (1, 2, 3)
    assert found(opened(1, 0), shown, marker(3, "COMMIT", 2)) == [], "no harm was done"


def test_visible_offsets_begin_and_end_with_the_producer_s_own() -> None:
    other = appended(3, 3, 1, count=2, last_stable_offset=3)
    election = event(2, "event", detail=WITHOUT_STATE)
    late = opened(4, 3, stable=3), marker(5, "ABORT", 4)
    (finding,) = found(opened(1, 0), election, other, *late)
    assert (finding.first_offset, finding.last_offset) == (0, 0)
    (finding,) = found(opened(1, 0), election, other, late[0]._replace(last_stable_offset=4))
    assert (finding.first_offset, finding.last_offset) == (0, 3)
    deleted = event(4, "log_start", log_start_offset=2)
    held = other._replace(last_stable_offset=0)
    runs = [opened(1, 0), held, deleted, opened(5, 3)]
    assert found(*runs, appended(7, 7, 4, last_stable_offset=3)) == []
    (finding,) = found(*runs, appended(7, 7, 4, last_stable_offset=5))
    assert (finding.first_offset, finding.last_offset) == (3, 3)


def test_a_transaction_between_very_many_batches_of_others_ends_with_its_last() -> None:
    own = [opened(seq, 2 * seq) for seq in range(1, 1_100)]
    shown = [appended(1_200, 1, 2_201, last_stable_offset=2_202), marker(1_300, "ABORT", 2_202)]
    (finding,) = found(*own, *shown)
    assert (finding.first_offset, finding.last_offset) == (2, 2_198)
    (finding,) = found(*own, shown[0]._replace(last_stable_offset=2_100), shown[1])
    assert (finding.first_offset, finding.last_offset) == (2, 1_998)


def test_an_undecided_batch_that_readers_can_read_is_found() -> None:
    (finding,) = found(opened(1, 0, stable=1))
    assert "whose transaction is undecided" in finding.text
    assert finding.evidence == (1,)


def test_a_marker_of_another_producer_does_not_reveal_an_open_transaction() -> None:
    other = appended(1, 1, 0, producer_id=8, producer_epoch=0, is_transactional=True)
    ended = marker(3, "ABORT", 2, stable=1)._replace(producer_id=8)
    runs = [other._replace(last_stable_offset=0), opened(2, 1), ended]
    assert found(*runs) == []
    assert len(found(*runs[:2], ended._replace(last_stable_offset=3))) == 1


def test_a_leader_without_producer_state_blocks_no_readers() -> None:
    election = event(3, "event", detail=WITHOUT_STATE)
    (finding,) = found(opened(1, 0), opened(2, 1), election, marker(4, "ABORT", 2))
    assert (finding.first_offset, finding.last_offset) == (0, 1)
    assert finding.evidence == (1, 3, 4)
    with_state = event(3, "event", detail=WITHOUT_STATE.replace("none", "full"))
    assert found(opened(1, 0), with_state, marker(4, "ABORT", 1)) == []
    assert found(opened(1, 0), event(3, "event", partition=None, topic=None)) == []


def test_records_that_are_deleted_before_they_can_be_read_are_not_visible() -> None:
    deleted = event(2, "log_start", log_start_offset=1)
    assert found(opened(1, 0), deleted, opened(3, 1, stable=1), marker(4, "ABORT", 2)) == []
    others = appended(5, 5, 2, last_stable_offset=3)
    (finding,) = found(opened(1, 0), deleted, opened(3, 1, stable=1), others)
    assert (finding.first_offset, finding.last_offset) == (1, 1)
    assert found(opened(1, 0), deleted, appended(5, 5, 1, last_stable_offset=2)) == []
    (finding,) = found(opened(1, 0), deleted, opened(3, 1, stable=1), opened(4, 2, stable=3))
    assert finding.evidence == (3, 4)


def test_what_readers_got_before_it_was_deleted_was_visible() -> None:
    shown = opened(1, 0, stable=1)
    (finding,) = found(shown, event(2, "log_start", log_start_offset=1), marker(3, "ABORT", 1))
    assert (finding.first_offset, finding.last_offset) == (0, 0)


@pytest.mark.parametrize(
    "gone", [event(2, "truncation", log_end_offset=0), event(2, "topic_deleted", partition=None)]
)
def test_deleted_batches_are_not_visible(gone: Run) -> None:
    assert found(opened(1, 0, stable=1), gone) == []


def test_only_the_part_before_a_truncation_is_visible() -> None:
    cut = event(3, "truncation", log_end_offset=1)
    (finding,) = found(opened(1, 0, stable=1), opened(2, 1, stable=2), cut)
    assert (finding.first_offset, finding.last_offset) == (0, 0)


def test_a_finding_from_the_cluster_has_the_same_text() -> None:
    finding = visible_finding(Shown("orders", 0, 3, 4, 7, 0, "open"))
    assert (finding.first_offset, finding.last_offset, finding.producer_id) == (3, 4, 7)
    assert "offsets 3 to 4 of producer 7 epoch 0, whose transaction is undecided" in finding.text
