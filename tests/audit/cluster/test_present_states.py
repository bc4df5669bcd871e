"""Answers of a real cluster's coordinators, beside the rows of its logs."""

import json

import pytest

from mockbroker.audit import judge
from mockbroker.audit.cluster.present_states import ASKED, OPEN, PRESENT, PresentStates
from mockbroker.audit.rules.rule_table import TOPIC, Need
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import Source
from mockbroker.audit.verdict import Verdict

TOPICS = Source(facts=TOPIC | {Need.STATES}, name="a topic")


def run(kind: str, offset: int, **columns: object) -> Run:
    row = Run(
        kind,
        offset + 1,
        0,
        producer_id=7,
        producer_epoch=0,
    )
    changed: Run = row._replace(**columns)  # type: ignore[arg-type]
    return changed


def batch(offset: int) -> Run:
    return run(
        *("append", offset),
        topic="orders",
        partition=0,
        is_transactional=True,
        base_offset=offset,
        last_offset=offset,
        base_sequence=offset,
        record_count=1,
    )


def marker(offset: int) -> Run:
    where = {"topic": "orders", "partition": 0, "base_offset": offset, "last_offset": offset}
    return run("marker", offset, marker="COMMIT", coordinator_epoch=0, **where)


def asked(end: int) -> Run:
    return run(ASKED, -1, topic="orders", partition=0, producer_id=None, log_end_offset=end)


def present(state: str, *partitions: str) -> Run:
    detail = json.dumps({"partitions": partitions})
    return run(PRESENT, -1, transactional_id="pay", state_after=state, detail=detail)


def rules_of(verdict: Verdict) -> list[str]:
    return [each.rule for each in verdict.findings]


@pytest.mark.parametrize(
    ("state", "partitions", "rules"),
    [
        ("Ongoing", ["orders-0"], []),
        ("PrepareCommit", ["orders-0"], []),
        ("Ongoing", ["orders-1"], ["HANGING_TXN"]),
        ("CompleteCommit", [], ["HANGING_TXN"]),
    ],
)
def test_an_open_transaction_hangs_unless_its_coordinator_knows_it(
    state: str, partitions: list[str], rules: list[str]
) -> None:
    verdict = judge([asked(1), present(state, *partitions), batch(0)], TOPICS)
    assert rules_of(verdict) == rules
    assert all(each.evidence == (1,) for each in verdict.findings)


def test_a_transaction_of_no_transactional_id_hangs_if_all_ids_are_known() -> None:
    runs = [asked(1), batch(0)]
    assert rules_of(judge(runs, TOPICS)) == ["HANGING_TXN"]
    verdict = judge(runs, TOPICS._replace(has_all_ids=False))
    assert not verdict.findings
    (unknown,) = verdict.unknown
    assert unknown == (
        "orders-0: whether a coordinator knows the transaction of producer 7 that is open since"
        " offset 0"
    )


def test_a_transaction_that_began_or_ended_after_coordinators_were_asked_does_not_hang() -> None:
    assert not judge([asked(1), batch(0), marker(1)], TOPICS).findings
    assert not judge([asked(0), batch(0)], TOPICS).findings


def test_a_transaction_whose_records_were_deleted_hangs_too() -> None:
    hidden = run(OPEN, -1, topic="orders", partition=0, base_offset=3)
    verdict = judge([asked(9), hidden], TOPICS)
    assert rules_of(verdict) == ["HANGING_TXN"]
    assert verdict.findings[0].first_offset == 3


def test_a_journal_has_no_such_answers() -> None:
    states = PresentStates()
    assert not states.is_later(batch(0))
    assert states.of(7) is None
