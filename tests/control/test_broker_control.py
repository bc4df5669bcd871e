"""Brokers that are killed and started again while clients use them."""

import pytest

from mockbroker import Cluster
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_cluster import (
    DescribeClusterRequest,
    DescribeClusterResponse,
)
from mockbroker.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    TopicRequest,
)
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseTopic,
)
from mockbroker.wire import WireClient, WireProducer
from tests.support.wire import address_of, broker_client

UNREPLICATED = {"default.replication.factor": "1"}


def another_than(cluster: Cluster, broker_id: int) -> int:
    return next(each.broker_id for each in cluster.brokers if each.broker_id != broker_id)


def metadata_from(cluster: Cluster, broker_id: int, version: int = 12) -> MetadataResponse:
    with broker_client(cluster, broker_id) as client:
        request = MetadataRequest(topics=[MetadataRequestTopic(name="orders")])
        return client.ask(request, version, MetadataResponse)


def orders_in(answer: MetadataResponse) -> MetadataResponseTopic:
    (topic,) = answer.topics
    return topic


def test_a_killed_broker_closes_its_connections_and_accepts_no_more() -> None:
    with Cluster(brokers=3) as cluster:
        address = address_of(cluster, 2)
        with WireClient(address) as client:
            assert client.versions(ApiKey.METADATA)
            cluster.kill(2)
            with pytest.raises(ConnectionError):
                client.ask(MetadataRequest(), 12, MetadataResponse)
        with pytest.raises(ConnectionRefusedError):
            WireClient(address)
        assert [(b.broker_id, b.state) for b in cluster.brokers] == [
            (1, "running"),
            (2, "killed"),
            (3, "running"),
        ]


def test_a_broker_that_is_started_again_serves_at_its_old_port() -> None:
    with Cluster(brokers=3) as cluster:
        address = address_of(cluster, 2)
        for _ in range(3):
            cluster.kill(2)
            cluster.start(2)
            assert address_of(cluster, 2) == address
            with WireClient(address) as client:
                answer = client.ask(MetadataRequest(), 12, MetadataResponse)
            assert sorted(broker.node_id for broker in answer.brokers) == [1, 2, 3]


def test_metadata_no_longer_lists_a_killed_broker() -> None:
    with Cluster(brokers=3, topics={"orders": 1}) as cluster:
        orders = cluster.partition("orders", 0)
        lost = orders.leader
        cluster.kill(lost)
        answer = metadata_from(cluster, orders.leader)
        assert lost not in [broker.node_id for broker in answer.brokers]
        (shown,) = orders_in(answer).partitions
        assert (shown.error_code, shown.leader_id) == (ErrorCode.NONE, orders.leader)
        assert (shown.leader_epoch, shown.offline_replicas) == (1, [lost])
        assert sorted(shown.replica_nodes) == [1, 2, 3]
        assert lost not in shown.isr_nodes
        cluster.start(lost)
        (shown,) = orders_in(metadata_from(cluster, orders.leader)).partitions
        assert (shown.offline_replicas, sorted(shown.isr_nodes)) == ([], [1, 2, 3])


def test_the_first_version_of_metadata_shows_replicas_that_are_alive() -> None:
    with Cluster(brokers=3, topics={"orders": 1}, kafka="3.9") as cluster:
        orders = cluster.partition("orders", 0)
        follower = orders.replicas[1]
        cluster.kill(follower)
        (shown,) = orders_in(metadata_from(cluster, orders.leader, version=0)).partitions
        assert shown.error_code == ErrorCode.REPLICA_NOT_AVAILABLE
        assert shown.replica_nodes == [each for each in orders.replicas if each != follower]


def test_a_partition_whose_only_broker_is_killed_has_no_leader() -> None:
    with Cluster(brokers=2, topics={"orders": 1}, config=UNREPLICATED) as cluster:
        orders = cluster.partition("orders", 0)
        lost = orders.leader
        cluster.kill(lost)
        assert (orders.leader, orders.leader_epoch, orders.in_sync_replicas) == (-1, 1, (lost,))
        (shown,) = orders_in(metadata_from(cluster, another_than(cluster, lost))).partitions
        assert (shown.error_code, shown.leader_id) == (ErrorCode.LEADER_NOT_AVAILABLE, -1)
        assert (shown.isr_nodes, shown.offline_replicas) == ([], [lost])
        with broker_client(cluster, another_than(cluster, lost)) as client:
            asked = DescribeTopicPartitionsRequest(
                topics=[TopicRequest(name="orders")], response_partition_limit=10
            )
            described = client.ask(asked, 0, DescribeTopicPartitionsResponse)
        (told,) = described.topics[0].partitions
        assert (told.isr_nodes, told.eligible_leader_replicas) == ([], [lost])
        with pytest.raises(ValueError, match=f"broker {lost} is killed: start it"):
            orders.elect()
        cluster.start(lost)
        assert (orders.leader, orders.leader_epoch) == (lost, 2)


def test_before_kip_966_the_last_in_sync_replica_is_listed_while_it_is_down() -> None:
    with Cluster(brokers=2, topics={"orders": 1}, config=UNREPLICATED, kafka="3.9") as cluster:
        lost = cluster.partition("orders", 0).leader
        cluster.kill(lost)
        (shown,) = orders_in(metadata_from(cluster, another_than(cluster, lost))).partitions
        assert (shown.leader_id, shown.isr_nodes) == (-1, [lost])


def test_records_survive_the_restart_of_their_only_broker() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        for base_sequence in range(2):
            with WireProducer(cluster.bootstrap_servers) as producer:
                producer.init_producer_id()
                producer.produce("orders", b"order-%d" % base_sequence, base_sequence=0)
            cluster.kill(1)
            cluster.start(1)
        assert [record.value for record in cluster.records("orders")] == [b"order-0", b"order-1"]


def test_another_controller_is_elected() -> None:
    with Cluster(brokers=3) as cluster:
        assert cluster.controller == 1
        cluster.kill(1)
        assert cluster.controller == 2
        assert [b.broker_id for b in cluster.brokers if b.is_controller] == [2]
        with broker_client(cluster, 3) as client:
            answer = client.ask(MetadataRequest(), 12, MetadataResponse)
        assert answer.controller_id == 2


def test_describe_cluster_lists_fenced_brokers_on_request() -> None:
    with Cluster(brokers=3) as cluster:
        cluster.kill(3)
        with broker_client(cluster, 1) as client:
            request = DescribeClusterRequest(include_fenced_brokers=True)
            answer = client.ask(request, 2, DescribeClusterResponse)
            assert [(b.broker_id, b.is_fenced) for b in answer.brokers] == [
                (1, False),
                (2, False),
                (3, True),
            ]
            answer = client.ask(DescribeClusterRequest(), 2, DescribeClusterResponse)
            assert [b.broker_id for b in answer.brokers] == [1, 2]


def test_a_transaction_is_known_to_the_remaining_coordinator() -> None:
    with (
        Cluster(brokers=3, topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as producer,
    ):
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"order-1", base_sequence=0)
        before = cluster.coordinator_of("orders-svc")
        cluster.kill(before)
        assert cluster.coordinator_of("orders-svc") != before
        bootstrap = address_of(cluster, another_than(cluster, before))
        with WireProducer(bootstrap, "orders-svc") as successor:
            assert successor.init_producer_id() is ErrorCode.CONCURRENT_TRANSACTIONS
            assert cluster.transaction("orders-svc").state == "CompleteAbort"
            assert successor.init_producer_id() is ErrorCode.NONE
        assert cluster.records("orders", isolation="read_committed") == []


def test_killing_and_starting_the_wrong_brokers_is_refused() -> None:
    with Cluster(brokers=2) as cluster:
        with pytest.raises(LookupError, match="there is no broker 7; there are 1, 2"):
            cluster.kill(7)
        with pytest.raises(ValueError, match="broker 1 is running, not killed"):
            cluster.start(1)
        cluster.kill(2)
        with pytest.raises(ValueError, match="broker 2 is killed, not running"):
            cluster.kill(2)
    with pytest.raises(RuntimeError, match="not running"):
        cluster.kill(1)


def test_a_cluster_stops_while_brokers_are_away() -> None:
    with Cluster(brokers=3) as cluster:
        address = address_of(cluster, 2)
        cluster.kill(1)
        cluster.kill(2)
        cluster.start(1)
    with pytest.raises(ConnectionRefusedError):
        WireClient(address)


# Crashes, topics, transactional ids


def write(cluster: Cluster, *values: bytes) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        for sequence, value in enumerate(values):
            producer.produce("orders", value, base_sequence=sequence)


def values_of(cluster: Cluster) -> list[bytes | None]:
    return [record.value for record in cluster.records("orders")]


def test_a_crash_loses_unflushed_records() -> None:
    with Cluster(brokers=3, topics={"orders": 1}) as cluster:
        write(cluster, b"flushed")
        cluster.flush()
        write(cluster, b"lost")
        with WireClient(cluster.bootstrap_servers) as client:
            cluster.crash()
            with pytest.raises(ConnectionError):
                client.ask(MetadataRequest(), 12, MetadataResponse)
        assert values_of(cluster) == [b"flushed"]
        write(cluster, b"new")
        assert values_of(cluster) == [b"flushed", b"new"]
        assert [broker.state for broker in cluster.brokers] == ["running"] * 3


def test_the_crash_of_one_broker_loses_only_unreplicated_records() -> None:
    with Cluster(brokers=3, topics={"orders": 1}) as cluster:
        write(cluster, b"replicated")
        orders = cluster.partition("orders", 0)
        cluster.crash(orders.leader)
        assert values_of(cluster) == [b"replicated"]
        for broker in orders.in_sync_replicas:
            if broker != orders.leader:
                orders.lose_replica(broker)
        cluster.crash(orders.leader)
        assert values_of(cluster) == []


def test_a_crash_loses_unflushed_records_of_coordinators() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as producer,
    ):
        producer.init_producer_id()
        assert cluster.transaction("orders-svc").state == "Empty"
        cluster.crash()
        with pytest.raises(LookupError, match="no coordinator knows 'orders-svc'"):
            cluster.transaction("orders-svc").state  # noqa: B018 - it raises


def test_a_topic_is_recreated() -> None:
    with Cluster(topics={"orders": 2}) as cluster:
        write(cluster, b"gone")
        cluster.recreate_topic("orders", partitions=1, start_offset=9)
        assert cluster.partition("orders", 0).log_end_offset == 9
        write(cluster, b"new")
        assert [(record.offset, record.value) for record in cluster.records("orders")] == [
            (9, b"new")
        ]
        with pytest.raises(LookupError, match="there is no topic absent"):
            cluster.recreate_topic("absent")
        with pytest.raises(ValueError, match="too small"):
            cluster.recreate_topic("orders", partitions=0)
