"""Fencing and unfencing of brokers: leaders, in-sync replicas, and the controller."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.replication.broker import BrokerState
from mockbroker.state.replication.broker_control import fence_broker, state_of, unfence_broker
from mockbroker.state.replication.client_election import ElectionType, elect_by_type
from mockbroker.state.replication.partition_reassignment import alter_reassignment
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.replication_control import NewTopic, PlannedPartitions
from mockbroker.state.topic.topic import NO_LEADER, TRANSACTION_STATE, Partition
from tests.state.cluster_building import new_cluster


def held_by(cluster: ClusterState, *replicas: int, name: str = "orders") -> Partition:
    (partition,) = cluster.create_topic(NewTopic(name=name, assignments=[(0, replicas)])).partitions
    return partition


def kill(cluster: ClusterState, *broker_ids: int) -> None:
    for broker_id in broker_ids:
        fence_broker(cluster, broker_id, BrokerState.KILLED, now_ms=0)


def start(cluster: ClusterState, broker_id: int) -> None:
    unfence_broker(cluster, broker_id, now_ms=0)
    cluster.run_pending(0)


def facts_of(partition: Partition) -> tuple[int, int, tuple[int, ...]]:
    return partition.leader_id, partition.leader_epoch, partition.in_sync_replicas


def test_the_first_in_sync_replica_replaces_a_fenced_leader() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 2, 3, 1)
    kill(cluster, 2)
    assert facts_of(partition) == (3, 1, (3, 1))
    assert partition.partition_epoch == 1


def test_a_replica_out_of_sync_does_not_replace_the_leader() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 2, 3, 1)
    partition.in_sync_replicas = (2, 1)
    kill(cluster, 2)
    assert facts_of(partition) == (1, 1, (1,))


@pytest.mark.parametrize(("release", "leader_epoch"), [("4.4", 0), ("3.9", 0), ("2.8", 1)])
def test_a_fenced_follower_is_out_of_sync(release: str, leader_epoch: int) -> None:
    cluster = new_cluster(release)
    partition = held_by(cluster, 2, 3, 1)
    log = cluster.log_of(partition, 0)
    kill(cluster, 3)
    assert facts_of(partition) == (2, leader_epoch, (2, 1))
    assert partition.partition_epoch == 1
    assert log.end_offset_for_epoch(leader_epoch) == (leader_epoch, 0)


def test_there_is_no_leader_while_the_last_in_sync_replica_is_fenced() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 2, 3)
    kill(cluster, 3, 2)
    assert facts_of(partition) == (NO_LEADER, 1, (2,))
    start(cluster, 3)
    assert facts_of(partition) == (NO_LEADER, 1, (2,))
    start(cluster, 2)
    assert facts_of(partition) == (2, 2, (2, 3))


def test_an_unfenced_broker_is_in_sync_and_leads_nothing() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 2, 3, 1)
    kill(cluster, 2)
    start(cluster, 2)
    assert partition.leader_id == 3
    assert sorted(partition.in_sync_replicas) == [1, 2, 3]
    elect_by_type(cluster, partition, ElectionType.PREFERRED, now_ms=0)
    assert facts_of(partition)[:2] == (2, 2)


def test_the_preferred_replica_is_not_elected_while_it_is_fenced() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 2)
    kill(cluster, 2)
    with pytest.raises(ApiError) as refused:
        elect_by_type(cluster, partition, ElectionType.PREFERRED, now_ms=0)
    assert refused.value.code is ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE


def test_another_broker_becomes_the_controller_and_stays_it() -> None:
    cluster = new_cluster()
    kill(cluster, 1)
    assert cluster.controller_id == 2
    start(cluster, 1)
    assert cluster.controller_id == 2
    kill(cluster, 1, 2, 3)
    assert cluster.controller_id == 3
    start(cluster, 2)
    assert cluster.controller_id == 2


def test_the_states_of_brokers_are_reported() -> None:
    cluster = new_cluster(brokers=2)
    before = cluster.as_text()
    kill(cluster, 2)
    assert (state_of(cluster, 1), state_of(cluster, 2)) == ("running", "killed")
    assert "broker 2 killed" in cluster.as_text()
    start(cluster, 2)
    assert cluster.as_text() == before
    with pytest.raises(LookupError, match="there is no broker 7; there are 1, 2"):
        state_of(cluster, 7)


def test_coordinators_move_with_the_leader_and_stop_without_one() -> None:
    cluster = new_cluster()
    cluster.create_topic(internal_topic(TRANSACTION_STATE, cluster.configs))
    cluster.run_pending(0)
    led = {p.leader_id for p in cluster.topics.by_name[TRANSACTION_STATE].partitions}
    assert led == {1, 2, 3}
    kill(cluster, 1, 2, 3)
    cluster.run_pending(0)
    assert all("owns" not in line for line in cluster.as_text().splitlines())
    start(cluster, 2)
    partition = cluster.partition(TRANSACTION_STATE, 0)
    assert partition is not None
    assert partition.leader_id in (NO_LEADER, 2)


def test_a_marker_needs_a_leader() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 2)
    kill(cluster, 2)
    marker = EndTxnMarker(7, 0, 0, True)
    with pytest.raises(ApiError) as refused:
        cluster.append_end_txn_marker(partition, marker, transaction_version=0, now_ms=0)
    assert refused.value.code is ErrorCode.LEADER_NOT_AVAILABLE


# New topics


def test_a_new_topic_has_its_leaders_on_brokers_that_are_alive() -> None:
    cluster = new_cluster()
    kill(cluster, 2)
    topic = cluster.create_topic(NewTopic(name="new", num_partitions=6, replication_factor=3))
    for partition in topic.partitions:
        assert sorted(partition.replicas) == [1, 2, 3]
        assert partition.leader_id in (1, 3)
        assert sorted(partition.in_sync_replicas) == [1, 3]


def test_with_zookeeper_a_topic_has_no_more_replicas_than_alive_brokers() -> None:
    cluster = new_cluster("2.8")
    kill(cluster, 2)
    with pytest.raises(ApiError, match="larger than available brokers: 2") as refused:
        cluster.create_topic(NewTopic(name="new", num_partitions=1, replication_factor=3))
    assert refused.value.code is ErrorCode.INVALID_REPLICATION_FACTOR


def test_new_partitions_of_fenced_brokers_wait_for_them() -> None:
    cluster = new_cluster()
    kill(cluster, 2)
    partition = held_by(cluster, 2)
    assert facts_of(partition) == (NO_LEADER, 0, (2,))
    (topic,) = cluster.topics
    cluster.replication.add_partitions(PlannedPartitions(topic, [(2,), (3,)]))
    assert [each.leader_id for each in topic.partitions] == [NO_LEADER, NO_LEADER, 3]
    start(cluster, 2)
    assert [each.leader_id for each in topic.partitions] == [2, 2, 3]


# Moves


def test_a_move_waits_for_a_fenced_broker() -> None:
    cluster = new_cluster("4.4")
    partition = held_by(cluster, 1)
    kill(cluster, 3)
    alter_reassignment(cluster, partition, (1, 3), allow_replication_factor_change=True, now_ms=0)
    cluster.run_pending(0)
    assert partition.adding_replicas == (3,)
    start(cluster, 3)
    assert not partition.adding_replicas
    assert partition.in_sync_replicas == (1, 3)


def test_a_partition_without_a_leader_can_be_reassigned() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 1)
    kill(cluster, 1)
    alter_reassignment(cluster, partition, (2,), now_ms=0)
    cluster.run_pending(0)
    assert (partition.leader_id, partition.replicas) == (NO_LEADER, (2, 1))
    start(cluster, 1)
    assert (partition.leader_id, partition.replicas) == (2, (2,))
