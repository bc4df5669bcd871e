"""Lookup of leaders, coordinators and offsets in a cluster, with retries."""

import re
from collections.abc import Iterator
from unittest.mock import patch
from uuid import uuid4

import pytest

from mockbroker import API, ERR, Cluster, Release
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.wire import cluster as module
from mockbroker.wire.client import WireClient, WireError
from mockbroker.wire.cluster import (
    EARLIEST,
    LATEST,
    TRANSACTION,
    TopicIdPartition,
    WireCluster,
)
from tests.support.held_ports import held_ports
from tests.support.written_topics import write

REPLICATED = {"default.replication.factor": "3"}
ORDERS = TopicIdPartition("orders", 0)


@pytest.fixture
def closed_port() -> Iterator[int]:
    with held_ports() as (port,):
        yield port


# Topics


def test_a_topic_has_its_leaders_addresses() -> None:
    with (
        Cluster(brokers=3, topics={"orders": 3}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        topic = asked.topic("orders")
        assert list(topic.leaders) == [0, 1, 2]
        assert set(topic.leaders.values()) == set(cluster.bootstrap_servers.split(","))
        assert topic.topic_id != ZERO_UUID
        assert topic.partitions[2] == TopicIdPartition("orders", 2, topic.topic_id)


def test_a_lookup_does_not_create_a_missing_topic() -> None:
    with (
        Cluster() as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        patch.object(module, "_UNKNOWN_TOPIC_S", 0.0),
    ):
        assert asked.find_topic("orders") is None
        with pytest.raises(WireError, match=r"^topic orders does not exist$"):
            asked.topic("orders")
        assert asked.find_topic("orders") is None


@pytest.mark.parametrize("kafka", ["0.11", "2.4", "3.9", "4.4"])
def test_a_topic_is_created_by_the_controller(kafka: Release) -> None:
    with (
        Cluster(kafka=kafka, brokers=3) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        for _ in ("created", "it exists"):
            asked.create_topic("orders", 3)
            assert list(asked.topic("orders").leaders) == [0, 1, 2]


def test_a_refused_topic_has_a_reason() -> None:
    with (
        Cluster() as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        pytest.raises(WireError, match="topic not a topic is not created: INVALID_TOPIC_EXCEPTION"),
    ):
        asked.create_topic("not a topic", 1)


def test_a_request_that_gets_not_controller_is_retried() -> None:
    with (
        Cluster(kafka="2.4", brokers=3) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        cluster.fault(API.CREATE_TOPICS).answer(ERR.NOT_CONTROLLER).times(1)
        asked.create_topic("orders", 1)
        cluster.assert_all_faults_fired()
        assert cluster.partition("orders", 0).leader > 0


# Leaders and offsets


@pytest.mark.parametrize("kafka", ["0.11", "2.4", "3.9", "4.4"])
def test_the_offsets_of_every_release_are_found(kafka: Release) -> None:
    with (
        Cluster(kafka=kafka, topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        write(cluster, "orders", 3, 4)
        cluster.partition("orders", 0).delete_records(3)
        (orders,) = asked.topic("orders").partitions
        assert (asked.offset(orders, EARLIEST), asked.offset(orders, LATEST)) == (3, 7)
        assert asked.offset(orders, LATEST, is_committed=True) == 7


def test_a_new_leader_is_found() -> None:
    with (
        Cluster(brokers=3, topics={"orders": 1}, config=REPLICATED) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        write(cluster, "orders", 3)
        for _ in range(3):
            assert asked.offset(ORDERS, LATEST) == 3
            cluster.partition("orders", 0).elect()
        cluster.kill(cluster.partition("orders", 0).leader)
        assert asked.offset(ORDERS, LATEST) == 3


@pytest.mark.parametrize(
    ("partition", "why"),
    [
        (TopicIdPartition("orders", 5), "topic orders has no partition 5"),
        (TopicIdPartition("orders", 0, uuid4()), "orders was deleted and created again"),
    ],
)
def test_a_missing_partition_is_named(partition: TopicIdPartition, why: str) -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        pytest.raises(WireError, match=why),
    ):
        asked.offset(partition, LATEST)


def test_an_error_that_is_not_retriable_is_raised_at_once() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        cluster.fault(API.LIST_OFFSETS).answer(ERR.TOPIC_AUTHORIZATION_FAILED).times(1)
        why = (
            f"orders-0: TOPIC_AUTHORIZATION_FAILED ({cluster.bootstrap_servers} to ListOffsets; "
            "`mockbroker errors TOPIC_AUTHORIZATION_FAILED` explains it)"
        )
        with pytest.raises(WireError, match=f"^{re.escape(why)}$"):
            asked.offset(ORDERS, LATEST)


def test_patience_ends_with_the_last_reason() -> None:
    with (
        Cluster(brokers=2, topics={"orders": 1}, config={"default.replication.factor": "1"}) as c,
        WireCluster(c.bootstrap_servers, patience_s=0.0) as asked,
    ):
        c.fault(API.LIST_OFFSETS).answer(ERR.NOT_LEADER_OR_FOLLOWER)
        with pytest.raises(WireError, match=r"orders-0: NOT_LEADER_OR_FOLLOWER .* \(for 0 s\)"):
            asked.offset(ORDERS, LATEST)
        c.kill(c.partition("orders", 0).leader)
        with pytest.raises(WireError, match="orders-0 has no leader: check that its brokers run"):
            asked.offset(ORDERS, LATEST)


# Brokers


@pytest.mark.parametrize("kafka", ["0.11", "2.4", "4.4"])
def test_a_coordinator_is_found_once_there_is_one(kafka: Release) -> None:
    with (
        Cluster(kafka=kafka, brokers=3) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        servers = cluster.bootstrap_servers.split(",")
        found = asked.coordinator("billing").address
        assert found == servers[cluster.coordinator_of(group="billing") - 1]
        found = asked.coordinator("billing", TRANSACTION).address
        assert found == servers[cluster.coordinator_of("billing") - 1]


def test_a_connection_with_a_pending_answer_is_not_used_for_another_request() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        first = asked.client(cluster.bootstrap_servers)
        assert asked.client(cluster.bootstrap_servers) is first
        first.send(MetadataRequest(topics=[]), 9)
        second = asked.client(cluster.bootstrap_servers)
        assert second is not first
        answer = second.ask(MetadataRequest(topics=None), 9, MetadataResponse)
        assert [topic.name for topic in answer.topics] == ["orders"]


def test_the_second_address_is_used_if_the_first_is_unreachable(closed_port: int) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        servers = f"127.0.0.1:{closed_port},PLAINTEXT://{cluster.bootstrap_servers}"
        with WireCluster(servers) as asked:
            assert len(asked.topic("orders").leaders) == 1


def test_an_unreachable_cluster_is_not_waited_for() -> None:
    with Cluster(brokers=2) as cluster:
        servers = cluster.bootstrap_servers
    first, second = map(re.escape, servers.split(","))
    refused = "Connection refused"
    why = f"^no broker answers at {first}: {refused}; {second}: {refused} .check the addresses"
    with WireCluster(servers) as asked, pytest.raises(WireError, match=why):
        asked.topic("orders")


def test_a_cluster_that_goes_away_is_named() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        asked = WireCluster(cluster.bootstrap_servers, patience_s=0.0)
        asked.topic("orders")
    with asked, pytest.raises(WireError, match=r"no broker answers at .* \(for 0 s\)"):
        asked.topic("orders")


def test_an_answer_that_cannot_be_read_is_an_error() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        unreadable = DecodeError("brokers[0].host", "cut off")
        why = r"a broker's response cannot be read: brokers\[0\]\.host: cut off"
        with (
            patch.object(WireClient, "receive", side_effect=unreadable),
            pytest.raises(WireError, match=why),
        ):
            asked.topic("orders")


@pytest.mark.parametrize("servers", ["localhost", "a:b", ":9092", " , "])
def test_an_invalid_address_is_refused(servers: str) -> None:
    with pytest.raises(WireError, match="host:port"):
        WireCluster(servers)
