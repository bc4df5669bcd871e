"""What is known before shards are judged."""

from mockbroker.audit.cluster.present_states import ASKED
from mockbroker.audit.judgement import machines_of
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.source import A_JOURNAL
from tests.audit.rows import an_event, batch

CREATED = an_event(1, "topic_created", partition=None)
DELETED = an_event(5, "topic_deleted", partition=None)
CLOCK = an_event(3, "clock", partition=None)._replace(topic=None)


def test_wide_runs_are_those_of_a_topic_or_of_none() -> None:
    known = Known(A_JOURNAL, 9, [DELETED, CLOCK, CREATED])
    assert known.of_topic("a") == [CREATED, DELETED]
    assert known.events == [CLOCK]
    assert (known.of_topic("b"), known.of_topic(None)) == ((), ())


def test_a_topic_that_was_created_again_was_deleted() -> None:
    assert Known(A_JOURNAL, 9, [CREATED, DELETED]).is_deleted("a")
    assert not Known(A_JOURNAL, 9, [CREATED]).is_deleted("a")
    assert not Known(A_JOURNAL, 9, [DELETED]).is_deleted("b")


def test_partitions_tell_what_producers_have_to_know() -> None:
    asked, cut = an_event(4, ASKED), an_event(7, "truncation", offset=2)
    known = Known(A_JOURNAL, 9, (), beside=[asked])
    known.learn(ShardOutcome(truncations=[cut], stale={(("a", 0), 6)}))
    assert known.of_place(("a", 0)) == [asked, cut]
    assert known.of_place(("a", 1)) == ()
    assert known.is_stale(batch(6, offset=1))
    assert not known.is_stale(batch(6, offset=1, partition=1))


def test_a_judgement_begins_with_the_end_of_all_evidence() -> None:
    judgement = Known(A_JOURNAL, 9, ()).judgement(machines_of(ShardScope.PARTITION))
    judgement.see([batch(2, 0, offset=0, transactional=True, stable=0)])
    assert judgement.end().last_time_ms == 2
