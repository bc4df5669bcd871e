"""Outcomes of shards, and the verdict on all of them."""

from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.source import A_JOURNAL
from tests.support.verdicts import GAP, STUCK


def test_outcomes_are_added_up() -> None:
    one = ShardOutcome(findings=[GAP], unknown={"a"}, appends=2, producers={7}, first_time_ms=5)
    other = ShardOutcome(findings=[STUCK], unknown={"a", "b"}, appends=1, producers={7, 8})
    other.first_time_ms, other.last_time_ms = 3, 9
    one.add(other)
    verdict = one.verdict(A_JOURNAL, 40)
    assert set(verdict.findings) == {GAP, STUCK}
    assert verdict.unknown == ("a", "b")
    counts = verdict.counts
    assert (counts.events, counts.appends, counts.producers) == (40, 3, 2)
    assert (counts.first_time_ms, counts.last_time_ms) == (3, 9)


def test_an_outcome_of_nothing_has_no_times() -> None:
    counts = ShardOutcome().verdict(A_JOURNAL, 0).counts
    assert (counts.first_time_ms, counts.last_time_ms) == (None, None)
