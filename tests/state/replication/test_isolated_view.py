"""State of an isolated broker."""

from typing import Final

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import LogTruncated, StateEvent
from mockbroker.state.replication.broker import BrokerState
from mockbroker.state.replication.broker_control import fence_broker, unfence_broker
from mockbroker.state.replication.isolated_view import isolated_view, rejoin
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import NO_LEADER, TRANSACTION_STATE, Partition
from tests.state.cluster_building import new_cluster
from tests.state.written_partition import write

NOW_MS: Final = 1_000


def held_by(cluster: ClusterState, *replicas: int) -> Partition:
    wanted = NewTopic(name="orders", assignments=[(0, replicas)])
    return cluster.create_topic(wanted).partitions[0]


def isolate(cluster: ClusterState, broker_id: int) -> tuple[ClusterState, Partition]:
    view = isolated_view(cluster, broker_id, now_ms=NOW_MS)
    fence_broker(cluster, broker_id, BrokerState.ISOLATED, now_ms=NOW_MS)
    seen = view.partition("orders", 0)
    assert seen is not None
    return view, seen


def test_the_isolated_broker_still_leads_and_the_others_elect_a_new_leader() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 1, 2)
    view, seen = isolate(cluster, 1)
    assert (seen.leader_id, seen.leader_epoch, seen.in_sync_replicas) == (1, 0, (1, 2))
    assert (partition.leader_id, partition.leader_epoch) == (2, 1)
    assert [broker.node_id for broker in view.alive_brokers] == [1, 2, 3]
    assert [broker.node_id for broker in cluster.alive_brokers] == [2, 3]


def test_private_appends_are_invisible_and_discarded_at_the_end() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 1, 2)
    write(cluster, partition)
    view, seen = isolate(cluster, 1)
    write(view, seen, 3)
    write(cluster, partition)
    assert seen.log is not None
    assert seen.log.offsets == (0, 1, 4)
    assert cluster.log_of(partition, NOW_MS).offsets == (0, 2, 2)
    assert rejoin(cluster, view, 1, now_ms=NOW_MS) == [seen]
    assert cluster.log_of(partition, NOW_MS).offsets == (0, 2, 2)
    assert (seen.leader_id, seen.leader_epoch, seen.log) == (2, 1, partition.log)
    assert sorted(partition.in_sync_replicas) == [1, 2]
    assert partition.log is not None
    assert cluster.budget.used_bytes == sum(each.charge_bytes for each in partition.log.segments)


def test_appends_of_the_only_in_sync_replica_persist() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 1)
    view, seen = isolate(cluster, 1)
    assert partition.leader_id == NO_LEADER
    write(view, seen, 2)
    assert seen.log is not None
    assert seen.log.offsets == (0, 2, 2)
    rejoin(cluster, view, 1, now_ms=NOW_MS)
    assert partition.leader_id == 1
    assert cluster.log_of(partition, NOW_MS).offsets == (0, 2, 2)


def test_what_only_the_isolated_broker_had_is_reported_as_truncated_when_it_rejoins() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 1, 2)
    write(cluster, partition)
    view, seen = isolate(cluster, 1)
    write(view, seen, 3)
    events: list[StateEvent] = []
    cluster.observation.reporter = EventReporter(events.append)
    rejoin(cluster, view, 1, now_ms=NOW_MS)
    truncations = [each for each in events if isinstance(each, LogTruncated)]
    assert truncations == [LogTruncated("orders", 0, 4, 1, 1, 0)]


def test_a_broker_that_rejoins_without_private_appends_truncates_nothing() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 1, 2)
    view, _ = isolate(cluster, 1)
    write(cluster, partition)
    events: list[StateEvent] = []
    cluster.observation.reporter = EventReporter(events.append)
    rejoin(cluster, view, 1, now_ms=NOW_MS)
    assert not [each for each in events if isinstance(each, LogTruncated)]


def test_a_broker_that_came_back_to_a_partition_without_a_leader_has_an_empty_log() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 1, 2)
    fence_broker(cluster, 1, BrokerState.STOPPED, now_ms=NOW_MS)
    fence_broker(cluster, 2, BrokerState.STOPPED, now_ms=NOW_MS)
    unfence_broker(cluster, 1, now_ms=NOW_MS)
    assert partition.leader_id == NO_LEADER
    _, seen = isolate(cluster, 1)
    assert seen.log is not None
    assert seen.log.offsets == (0, 0, 0)


def test_the_isolated_broker_knows_no_coordinators_and_no_later_changes() -> None:
    cluster = new_cluster()
    held_by(cluster, 2)
    cluster.create_topic(internal_topic(TRANSACTION_STATE, cluster.configs))
    view, seen = isolate(cluster, 1)
    assert seen.log is None
    cluster.create_topic(NewTopic(name="later", num_partitions=1))
    assert [topic.name for topic in view.topics] == ["orders"]


def test_a_topic_that_was_deleted_meanwhile_is_gone() -> None:
    cluster = new_cluster()
    held_by(cluster, 1, 2)
    view, seen = isolate(cluster, 1)
    write(view, seen)
    topic = cluster.topics.get("orders")
    assert topic is not None
    cluster.delete_topic(topic)
    rejoin(cluster, view, 1, now_ms=NOW_MS)
    assert seen.log is None
    assert cluster.budget.used_bytes == 0
