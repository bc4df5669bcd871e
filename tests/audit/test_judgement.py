import json
from typing import Any

from mockbroker.audit.judgement import judge
from mockbroker.audit.rules.rule_table import RULES, TOPIC, Need
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import A_JOURNAL, Source
from tests.audit.rows import an_event, batch, end_of, transition


def test_every_rule_is_listed_with_the_reason_why_it_is_not_judged() -> None:
    verdict = judge([], Source(facts=TOPIC, name="a topic"))
    assert [each.rule for each in verdict.rules] == list(RULES)
    judged = {each.rule: each for each in verdict.rules}
    assert judged["SEQUENCE_GAP"].is_judged
    assert judged["HANGING_TXN"].reason == "a topic has no states of transactional ids"
    told = Source(facts=TOPIC, reasons=((Need.STATES, "nobody may ask"),))
    reasons = {each.rule: each.reason for each in judge([], told).rules}
    assert reasons["HANGING_TXN"] == "nobody may ask"
    assert judge([], A_JOURNAL._replace(identity="off")).is_clean
    assert not judge([]).is_clean, "duplicates by identity are not judged"


def reset(seq: int, ended_ms: int = 0) -> Run:
    detail = json.dumps({"event": "reset", "ended_ms": ended_ms})
    return an_event(seq, "event", partition=None)._replace(topic=None, detail=detail)


def life(seq: int) -> list[Run]:
    """Return a committed transaction, and one that is open."""
    return [
        transition(seq, "Empty", "Ongoing", partitions=["a-0"]),
        batch(seq + 1, 0, offset=0, transactional=True, stable=0),
        transition(seq + 2, "Ongoing", "PrepareCommit", partitions=["a-0"]),
        end_of(seq + 3, "COMMIT", offset=1),
        transition(seq + 4, "PrepareCommit", "CompleteCommit"),
        transition(seq + 5, "CompleteCommit", "Ongoing", partitions=["a-0"]),
        batch(seq + 6, 1, offset=2, transactional=True, stable=2),
    ]


def test_a_reset_begins_another_life_of_the_cluster() -> None:
    runs = [*life(1), reset(10), *life(11), reset(20), *life(21)]
    verdict = judge(runs)
    assert not verdict.findings
    assert len(verdict.open_transactions) == 1, "what a reset ends is not open"
    twice = judge([run for run in runs if run.kind != "event"])
    assert {each.rule for each in twice.findings} >= {"DUPLICATE_APPEND"}


def test_what_is_found_in_a_life_is_found_whatever_comes_after_it() -> None:
    gap = batch(8, 7, offset=3, producer=(8, 0), stable=2)
    verdict = judge([*life(1), gap, reset(10), *life(11)])
    assert [(each.rule, each.evidence) for each in verdict.findings] == [("SEQUENCE_GAP", (8,))]


def test_a_life_ends_when_the_cluster_was_reset() -> None:
    for ended_ms, found in ((9, []), (30 * 60_000, ["LSO_STUCK"])):
        verdict = judge([*life(1), reset(10, ended_ms), *life(11)])
        assert [each.rule for each in verdict.findings] == found


def test_the_decisions_of_another_life_promise_nothing() -> None:
    asked: dict[str, Any] = {"call": 3, "acks": -1, "producer_id": 7, "producer_epoch": 0}
    begun = transition(1, "Empty", "Ongoing", partitions=["a-0"])
    written = batch(3, 0, offset=0, transactional=True, stable=0, call=3)
    call: dict[str, Any] = {
        "connection": 1,
        "client_id": "c",
        "is_transactional": True,
        "base_sequence": 0,
    }
    acknowledged = [
        begun,
        an_event(2, "request")._replace(api="Produce", record_count=1, **asked, **call),
        written._replace(connection=1, client_id="c"),
        an_event(4, "answer")._replace(api="Produce", error="NONE", **asked, **call),
        an_event(5, "truncation", offset=0),
    ]
    assert not judge([*acknowledged, reset(10), *life(11)]).findings
    commits = transition(6, "Ongoing", "PrepareCommit", partitions=["a-0"])
    found = judge([*acknowledged, commits, reset(10), *life(11)]).findings
    assert "ACKED_NOT_DURABLE" in {each.rule for each in found}
