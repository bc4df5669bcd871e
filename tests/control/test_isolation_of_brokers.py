"""Isolation of a broker that clients still reach, and the fate of its records."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.produce import PartitionProduceResponse, ProduceResponse
from mockbroker.wire import WireProducer
from tests.control.test_broker_control import (
    UNREPLICATED,
    metadata_from,
    orders_in,
    values_of,
    write,
)
from tests.support.requests import batch_of, produce
from tests.support.wire import address_of, broker_client, metadata_of


def produce_to(
    cluster: Cluster, broker_id: int, acks: int, timeout_ms: int = 50
) -> PartitionProduceResponse:
    request = produce(records=batch_of(b"late"), acks=acks)
    request.timeout_ms = timeout_ms
    with broker_client(cluster, broker_id) as client:
        answer = client.ask(request, 9, ProduceResponse)
    return answer.responses[0].partition_responses[0]


def test_an_isolated_leader_commits_nothing_and_loses_its_appends() -> None:
    with Cluster(brokers=3, topics={"orders": 1}) as cluster:
        write(cluster, b"before")
        orders = cluster.partition("orders", 0)
        isolated = orders.leader
        cluster.isolate(isolated)
        assert orders.leader != isolated
        assert produce_to(cluster, isolated, acks=-1).error_code == ErrorCode.REQUEST_TIMED_OUT
        taken = produce_to(cluster, isolated, acks=1)
        assert (taken.error_code, taken.base_offset) == (ErrorCode.NONE, 2)
        assert produce_to(cluster, orders.leader, acks=-1).base_offset == 1
        assert values_of(cluster) == [b"before", b"late"]

        cluster.rejoin(isolated)
        assert produce_to(cluster, isolated, 1).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert sorted(orders.in_sync_replicas) == [1, 2, 3]
        assert values_of(cluster) == [b"before", b"late"]


def test_an_isolated_broker_shows_the_cluster_as_it_was() -> None:
    with Cluster(brokers=3, topics={"orders": 1}) as cluster:
        orders = cluster.partition("orders", 0)
        isolated = orders.leader
        cluster.isolate(isolated)
        stale = metadata_from(cluster, isolated)
        assert sorted(broker.node_id for broker in stale.brokers) == [1, 2, 3]
        assert orders_in(stale).partitions[0].leader_id == isolated
        fresh = metadata_from(cluster, orders.leader)
        assert isolated not in [broker.node_id for broker in fresh.brokers]
        everything = metadata_of(address_of(cluster, isolated))
        assert sorted(broker.node_id for broker in everything.brokers) == [1, 2, 3]
        assert len(metadata_of(address_of(cluster, orders.leader)).brokers) == 2
        assert [b.state for b in cluster.brokers if b.broker_id == isolated] == ["isolated"]


def test_an_isolated_broker_reaches_no_controller_and_coordinates_nothing() -> None:
    with Cluster(brokers=3, topics={"orders": 1}) as cluster:
        with WireProducer(cluster.bootstrap_servers, "orders-svc") as producer:
            producer.init_producer_id()
        isolated = cluster.coordinator_of("orders-svc")
        cluster.isolate(isolated)
        with broker_client(cluster, isolated) as client:
            asked = CreateTopicsRequest(topics=[CreatableTopic(name="new")], timeout_ms=50)
            created = client.ask(asked, 5, CreateTopicsResponse)
            assert created.topics[0].error_code == ErrorCode.REQUEST_TIMED_OUT
            wanted = FindCoordinatorRequest(key="orders-svc", key_type=1)
            found = client.ask(wanted, 3, FindCoordinatorResponse)
            assert found.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
            wanted = FindCoordinatorRequest(coordinator_keys=["orders-svc"], key_type=1)
            batched = client.ask(wanted, 4, FindCoordinatorResponse)
            codes = [each.error_code for each in batched.coordinators]
            assert codes == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
            again = InitProducerIdRequest(
                transactional_id="orders-svc", transaction_timeout_ms=1_000
            )
            refused = client.ask(again, 3, InitProducerIdResponse)
            assert refused.error_code == ErrorCode.NOT_COORDINATOR
        assert cluster.coordinator_of("orders-svc") != isolated


def test_a_write_waiting_at_an_isolated_leader_gets_an_error_when_it_rejoins() -> None:
    with Cluster(brokers=3, topics={"orders": 1}) as cluster, ThreadPoolExecutor(1) as pool:
        isolated = cluster.partition("orders", 0).leader
        cluster.isolate(isolated)
        waiting = pool.submit(produce_to, cluster, isolated, -1, 30_000)
        while produce_to(cluster, isolated, acks=1).base_offset < 1:
            pass
        assert not waiting.done()
        cluster.rejoin(isolated)
        assert waiting.result(10).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_records_of_an_isolated_only_replica_persist() -> None:
    with Cluster(brokers=2, topics={"orders": 1}, config=UNREPLICATED) as cluster:
        orders = cluster.partition("orders", 0)
        isolated = orders.leader
        cluster.isolate(isolated)
        assert orders.leader == -1
        assert produce_to(cluster, isolated, acks=-1).error_code == ErrorCode.NONE
        cluster.rejoin(isolated)
        assert orders.leader == isolated
        assert values_of(cluster) == [b"late"]
        with pytest.raises(ValueError, match="is running, not isolated"):
            cluster.rejoin(isolated)
