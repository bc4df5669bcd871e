"""Open transactions in logs and at coordinators."""

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.open_transactions import (
    HangingTransaction,
    OpenTransaction,
    hanging_transactions,
    open_transactions,
)
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import TRANSACTION_STATE
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator
from tests.state.cluster_building import new_cluster
from tests.state.log_building import batch_header


def test_a_transaction_is_open_from_its_partitions_being_added_to_its_markers() -> None:
    cluster, coordinator = started()
    producer = coordinator.init_producer_id("svc", 60_000, NOW_MS)
    assert open_transactions(cluster) == []
    coordinator.add_partitions_to_transaction("svc", producer, {ORDERS}, NOW_MS)
    added = OpenTransaction("orders", 0, producer.producer_id, 0, -1, "svc", "Ongoing")
    assert open_transactions(cluster) == [added]
    write(cluster, producer.producer_id, 0)
    assert open_transactions(cluster) == [added._replace(first_offset=0)]
    coordinator.end_transaction("svc", producer, is_commit=True, now_ms=NOW_MS)
    (ending,) = open_transactions(cluster)
    assert (ending.state, ending.is_hanging) == ("PrepareCommit", False)
    cluster.run_pending(NOW_MS)
    assert open_transactions(cluster) == []


def test_a_transaction_without_a_coordinator_is_open_and_hangs() -> None:
    cluster, _ = started()
    write(cluster, 7, 0)
    (hanging,) = open_transactions(cluster)
    assert hanging == OpenTransaction("orders", 0, 7, 0, 0, None, None)
    assert hanging.is_hanging


NOW_MS = 1_000
ORDERS = TopicPartition("orders", 0)
TRANSACTIONAL = 0x10


def started() -> tuple[ClusterState, TransactionCoordinator]:
    """Create a cluster with a topic and a coordinator of `svc`."""
    cluster = new_cluster("2.8", brokers=1)
    cluster.create_topic(NewTopic("orders", num_partitions=1, replication_factor=1))
    cluster.create_topic(internal_topic(TRANSACTION_STATE, cluster.configs))
    cluster.run_pending(NOW_MS)
    return cluster, cluster.transaction_coordinator(1)


def write(cluster: ClusterState, producer_id: int, base_sequence: int) -> None:
    partition = cluster.partition(*ORDERS)
    assert partition is not None
    header = batch_header(
        producer_id=producer_id,
        producer_epoch=0,
        base_sequence=base_sequence,
        attributes=TRANSACTIONAL,
    )
    log = cluster.log_of(partition, NOW_MS)
    log.append(header, bytearray(header.size_bytes), leader_epoch=0, now_ms=NOW_MS)


def test_a_transaction_that_its_coordinator_knows_does_not_hang() -> None:
    cluster, coordinator = started()
    producer = coordinator.init_producer_id("svc", 60_000, NOW_MS)
    coordinator.add_partitions_to_transaction("svc", producer, {ORDERS}, NOW_MS)
    write(cluster, producer.producer_id, 0)
    assert hanging_transactions(cluster) == []
    coordinator.end_transaction("svc", producer, is_commit=False, now_ms=NOW_MS)
    assert hanging_transactions(cluster) == [], "its markers are on their way"
    cluster.run_pending(NOW_MS)
    assert hanging_transactions(cluster) == []


def test_a_transactional_batch_after_the_marker_hangs() -> None:
    cluster, coordinator = started()
    producer = coordinator.init_producer_id("svc", 60_000, NOW_MS)
    coordinator.add_partitions_to_transaction("svc", producer, {ORDERS}, NOW_MS)
    write(cluster, producer.producer_id, 0)
    coordinator.end_transaction("svc", producer, is_commit=False, now_ms=NOW_MS)
    cluster.run_pending(NOW_MS)
    write(cluster, producer.producer_id, 1)
    assert hanging_transactions(cluster) == [
        HangingTransaction(
            topic="orders",
            partition=0,
            producer_id=producer.producer_id,
            producer_epoch=0,
            coordinator_epoch=0,
            first_offset=2,
        )
    ]


def test_another_partitions_transaction_does_not_account_for_it() -> None:
    cluster, coordinator = started()
    producer = coordinator.init_producer_id("svc", 60_000, NOW_MS)
    elsewhere = {TopicPartition("orders", 7)}
    coordinator.add_partitions_to_transaction("svc", producer, elsewhere, NOW_MS)
    write(cluster, producer.producer_id, 0)
    assert [each.first_offset for each in hanging_transactions(cluster)] == [0]


def test_a_coordinator_that_was_moved_knows_its_transactions_again() -> None:
    cluster, coordinator = started()
    producer = coordinator.init_producer_id("svc", 60_000, NOW_MS)
    coordinator.add_partitions_to_transaction("svc", producer, {ORDERS}, NOW_MS)
    write(cluster, producer.producer_id, 0)
    index = coordinator.states.partition_for("svc")
    partition = cluster.partition(TRANSACTION_STATE, index)
    assert partition is not None
    elect_leader(cluster, partition, 1, now_ms=NOW_MS)
    assert len(hanging_transactions(cluster)) == 1
    cluster.run_pending(NOW_MS)
    assert hanging_transactions(cluster) == []
