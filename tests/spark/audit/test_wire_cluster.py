"""A cluster that is asked over plain connections."""

from collections.abc import Iterator

import pytest

from mockbroker import Cluster
from mockbroker.spark.audit.wire_cluster import ClusterUnreachableError, WireCluster
from tests.support.held_ports import held_ports

pytestmark = pytest.mark.slow


@pytest.fixture
def closed_port() -> Iterator[int]:
    with held_ports() as (port,):
        yield port


def test_each_partition_has_its_leader_s_address() -> None:
    with (
        Cluster(brokers=2, topics={"orders": 4}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        leaders = asked.leaders("orders")
        assert sorted(leaders) == [0, 1, 2, 3]
        assert set(leaders.values()) == set(cluster.bootstrap_servers.split(","))


def test_a_topic_that_is_not_there_is_not_created_by_asking() -> None:
    with Cluster() as cluster, WireCluster(cluster.bootstrap_servers) as asked:
        assert asked.leaders("orders") == {}
        assert asked.leaders("orders") == {}


@pytest.mark.parametrize("kafka", ["2.4", "4.4"])
def test_a_topic_is_created_by_the_controller(kafka: str) -> None:
    with (
        Cluster(kafka=kafka, brokers=3) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        asked.create_topic("orders", 3)
        assert sorted(asked.leaders("orders", is_new=True)) == [0, 1, 2]
        asked.create_topic("orders", 9)  # somebody was quicker
        assert sorted(asked.leaders("orders")) == [0, 1, 2]


def test_a_topic_that_is_refused_says_why() -> None:
    with (
        Cluster() as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        pytest.raises(ClusterUnreachableError, match="INVALID_TOPIC_EXCEPTION"),
    ):
        asked.create_topic("not a topic", 1)


def test_the_second_address_is_asked_where_the_first_is_silent(closed_port: int) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        servers = f"127.0.0.1:{closed_port},{cluster.bootstrap_servers}"
        with WireCluster(servers) as asked:
            assert len(asked.leaders("orders")) == 1


@pytest.mark.parametrize("servers", ["127.0.0.1:{port}", "nowhere", ""])
def test_a_cluster_that_is_not_there_is_named(servers: str, closed_port: int) -> None:
    with pytest.raises(ClusterUnreachableError, match="no broker at"):
        WireCluster(servers.format(port=closed_port))


def test_a_cluster_that_goes_away_is_named() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        asked = WireCluster(cluster.bootstrap_servers)
    with asked, pytest.raises(ClusterUnreachableError, match="does not answer"):
        asked.leaders("orders")
