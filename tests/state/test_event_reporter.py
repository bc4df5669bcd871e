"""Events of the state, as an observer gets them."""

import pytest

from mockbroker.state.event_reporter import EventReporter, position_of
from mockbroker.state.events import (
    BatchAppended,
    GroupChanged,
    LeaderElected,
    LogStartMoved,
    MarkerAppended,
    OwnedPartitions,
    PartitionsAssigned,
    ProducersExpired,
    StateEvent,
    TopicCreated,
    TopicDeleted,
    TransactionChanged,
)
from mockbroker.state.replication.leader_election import elect_leader
from tests.support.group_members import Member, group_brokers, stable
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import Transactor, new_brokers


def watched(brokers: Brokers) -> list[StateEvent]:
    events: list[StateEvent] = []
    brokers.state.observation.reporter = EventReporter(events.append)
    return events


def test_a_position_needs_an_open_log() -> None:
    brokers = Brokers(topics={"orders": 1})
    partition = brokers.partition("orders")
    with pytest.raises(AssertionError, match="orders"):
        position_of(partition)
    brokers.state.log_of(partition, NOW_MS)
    assert position_of(partition) == ("orders", 0, 1, 0, 0, 0, 0, 0)


def test_a_transaction_is_reported_step_by_step() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    events = watched(brokers)
    producer.init()
    producer.add(1)
    producer.write(1)
    producer.end(committed=True)
    changed = [each for each in events if isinstance(each, TransactionChanged)]
    states = [each.after.state.state_name for each in changed if each.after is not None]
    assert states == ["Empty", "Ongoing", "PrepareCommit", "CompleteCommit"]
    assert [each.before.state.state_name for each in changed[1:]] == states[:-1]
    (marker,) = (each for each in events if isinstance(each, MarkerAppended))
    assert (marker.log.topic, marker.log.partition, marker.offset) == ("orders", 1, 1)
    assert (marker.marker.is_commit, marker.log.last_stable_offset) == (True, 2)
    logged = [e for e in events if isinstance(e, BatchAppended) and e.log.topic != "orders"]
    assert [each.log.topic for each in logged] == ["__transaction_state"] * 4


def test_expirations_are_reported() -> None:
    brokers = new_brokers(configs={"producer.id.expiration.ms": "1000"})
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    producer.write(0)
    producer.end(committed=True)
    events = watched(brokers)
    brokers.state.advance_to(NOW_MS + 8 * 24 * 3_600_000)
    assert ProducersExpired("orders", 0, (producer.producer_id,)) in events
    (gone,) = (each for each in events if isinstance(each, TransactionChanged))
    assert (gone.before.transactional_id, gone.after) == ("mine", None)


def test_topics_leaders_and_log_starts_are_reported() -> None:
    brokers = Brokers(topics={"orders": 1})
    state = brokers.state
    events = watched(brokers)
    topic = brokers.topic("orders")
    log = state.log_of(topic.partitions[0], NOW_MS)
    elect_leader(state, topic.partitions[0], 1, now_ms=NOW_MS)
    log.log_end_offset = log.high_watermark = 5
    log.delete_records(3)
    log.delete_records(3)
    state.delete_topic(topic)
    assert events == [
        LeaderElected("orders", 0, 1, 1, 1),
        LogStartMoved("orders", 0, 0, 3),
        TopicDeleted("orders", topic.topic_id),
    ]
    events.clear()
    from mockbroker.state.topic.replication_control import NewTopic

    made = state.create_topic(NewTopic(name="orders", num_partitions=4, replication_factor=1))
    assert events == [TopicCreated("orders", made.topic_id, 4)]


def test_a_groups_states_are_reported() -> None:
    brokers = group_brokers()
    events = watched(brokers)
    member = Member(brokers)
    stable(member)
    changed = [each for each in events if isinstance(each, GroupChanged)]
    assert [(each.before, each.after, each.generation) for each in changed] == [
        ("Empty", "PreparingRebalance", 0),
        ("PreparingRebalance", "CompletingRebalance", 1),
        ("CompletingRebalance", "Stable", 1),
    ]
    assert changed[-1].members == (member.member_id,)


def test_what_a_leader_assigns_is_reported() -> None:
    brokers = group_brokers()
    events = watched(brokers)
    member = Member(brokers)
    stable(member)
    (assigned,) = (each for each in events if isinstance(each, PartitionsAssigned))
    member_id = member.member_id
    owned = OwnedPartitions(member_id, 1, member_id.encode())
    assert assigned == PartitionsAssigned(member.group_id, (owned,), is_whole=True)
