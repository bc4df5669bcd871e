"""The cluster state implements the port of the transaction coordinators."""

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.transaction.coordinator_host import CoordinatorHost
from tests.state.cluster_building import new_cluster


def test_the_cluster_has_all_that_a_coordinator_needs() -> None:
    cluster = new_cluster(brokers=1)
    cluster.create_topic(NewTopic(name="a", num_partitions=1, replication_factor=1))
    host: CoordinatorHost = cluster
    partition = host.partition("a", 0)
    assert partition is not None
    assert partition.topic_partition == TopicPartition("a", 0)
    assert host.producer_ids.generate_producer_id(1) == 0
    assert host.configs.broker_integer("transaction.max.timeout.ms", 1) == 900_000
    assert host.options.transaction_version == 2
    ran: list[int] = []
    host.timers.schedule("a timer", 7, ran.append)
    host.timers.advance_to(7)
    assert ran == [7]
    marker = EndTxnMarker(7, 3, 0, is_commit=True)
    host.append_end_txn_marker(partition, marker, transaction_version=2, now_ms=7)
    host.defer("work", ran.append)
    assert ran == [7]
