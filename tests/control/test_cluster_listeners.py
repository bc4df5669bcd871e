"""The listeners of a cluster, and the addresses that they advertise."""

import socket
from collections.abc import Iterator

import pytest

from mockbroker import Cluster
from mockbroker.control.cluster_listeners import ClusterListeners
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.protocol.messages.describe_cluster import (
    DescribeClusterRequest,
    DescribeClusterResponse,
)
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.server.event_loop import LoopThread
from mockbroker.settings.settings import Given, resolve_settings
from mockbroker.wire.client import WireClient
from tests.support.held_ports import held_ports


def test_clients_are_told_the_address_that_a_test_gives() -> None:
    with Cluster(brokers=2) as cluster:
        cluster.advertise("mapped.example:32000")
        assert cluster.bootstrap_servers == "mapped.example:32000,mapped.example:32001"
        cluster.advertise("[::1]:7", broker=2)
        assert cluster.bootstrap_servers == "mapped.example:32000,[::1]:7"
        with pytest.raises(LookupError, match="no broker 3, there are 1, 2"):
            cluster.advertise("a:1", broker=3)
        with pytest.raises(ValueError, match="'a' is not written as host:port"):
            cluster.advertise("a")


@pytest.fixture
def ports() -> Iterator[list[int]]:
    with held_ports(3) as held:
        yield held


def test_who_comes_by_a_listener_is_told_where_brokers_are_for_it(ports: list[int]) -> None:
    port, other, idle = ports
    listeners = {
        "listeners": f"PLAINTEXT://:{port},BROKER://:{other},CONTROLLER://:{idle}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,BROKER:PLAINTEXT",
        "advertised.listeners": f"PLAINTEXT://mapped.test:5,BROKER://127.0.0.1:{other}",
    }
    settings = resolve_settings(Given(configs=[f"{key}={text}" for key, text in listeners.items()]))
    thread = LoopThread()
    running = RunningCluster(settings, thread.loop)
    thread.call(running.start())
    try:
        outside, inside = WireClient(f"127.0.0.1:{port}"), WireClient(f"127.0.0.1:{other}")
        assert found(outside) == {("mapped.test", 5)}
        assert found(inside) == {("127.0.0.1", other)}
        ClusterListeners(running).advertise("again.test:6")
        assert found(outside) == {("again.test", 6)}
        assert found(inside) == {("127.0.0.1", other)}
        with socket.create_connection(("127.0.0.1", idle), timeout=5):
            pass
        names = [(each.name, each.port) for each in ClusterListeners(running).listeners]
        assert names == [("PLAINTEXT", port), ("BROKER", other)]
        with pytest.raises(LookupError, match="no listener STEER; there are PLAINTEXT, BROKER"):
            ClusterListeners(running).advertise("h:1", listener="steer")
        for client in (outside, inside):
            client.close()
    finally:
        thread.call(running.stop())
        thread.stop()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", idle), timeout=5)


def found(client: WireClient) -> set[tuple[str, int]]:
    """Ask in every way where the broker is."""
    groups = FindCoordinatorRequest(coordinator_keys=["g"])
    brokers = client.ask(MetadataRequest(topics=None), 12, MetadataResponse).brokers
    described = client.ask(DescribeClusterRequest(), 1, DescribeClusterResponse).brokers
    coordinators = client.ask(groups, 4, FindCoordinatorResponse).coordinators
    return {
        *((each.host, each.port) for each in brokers),
        *((each.host, each.port) for each in described),
        *((each.host, each.port) for each in coordinators),
    }
