"""What is known before shards are judged."""

import pytest

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker.audit.cluster.present_states import ASKED
from mockbroker.audit.judgement import machines_of
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.shards.survey import Survey
from mockbroker.audit.source import A_JOURNAL
from tests.audit.rows import an_event, batch

CREATED = an_event(1, "topic_created", partition=None)
DELETED = an_event(5, "topic_deleted", partition=None)
CLOCK = an_event(3, "clock", partition=None)._replace(topic=None)


def known_of(wide: list[Run]) -> Known:
    return Known(A_JOURNAL, Survey(wide=wide))


def test_wide_runs_are_those_of_a_topic_or_of_none() -> None:
    known = known_of([DELETED, CLOCK, CREATED])
    assert known.of_topic("a") == [CREATED, DELETED]
    assert known.events == [CLOCK]
    assert (known.of_topic("b"), known.of_topic(None)) == ((), ())


def test_a_topic_that_was_created_again_was_deleted() -> None:
    assert known_of([CREATED, DELETED]).is_deleted("a")
    assert not known_of([CREATED]).is_deleted("a")
    assert not known_of([DELETED]).is_deleted("b")


def test_partitions_tell_what_producers_have_to_know() -> None:
    asked, cut = an_event(4, ASKED), an_event(7, "truncation", offset=2)
    known = Known(A_JOURNAL, Survey(), beside=[asked])
    known.learn(ShardOutcome(truncations=[cut], stale={(("a", 0), 6)}))
    assert known.of_place(("a", 0)) == [asked, cut]
    assert known.of_place(("a", 1)) == ()
    assert known.is_stale(batch(6, offset=1))
    assert not known.is_stale(batch(6, offset=1, partition=1))


def test_a_judgement_begins_with_the_end_of_all_evidence() -> None:
    for last_time_ms, found in ((9, []), (20 * 60_000, ["LSO_STUCK"])):
        known = Known(A_JOURNAL, Survey(last_time_ms=last_time_ms))
        judgement = known.judgement(machines_of(ShardScope.PARTITION))
        judgement.see([batch(2, 0, offset=0, transactional=True, stable=0)])
        assert [each.rule for each in judgement.end().findings] == found
