"""The listeners of a cluster, and the addresses that they advertise."""

import socket
from collections.abc import Iterator

import pytest

from mockbroker import Cluster
from mockbroker.control.advertised_listeners import AdvertisedListeners, address
from mockbroker.control.cluster_handle import ClusterHandle
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
from mockbroker.settings.listener_settings import ListenerSettings
from mockbroker.settings.settings import Given, resolve_settings
from mockbroker.wire.client import WireClient
from tests.state.cluster_building import new_cluster
from tests.support.held_ports import held_ports


def listeners(*broker_ids: int) -> AdvertisedListeners:
    advertised = AdvertisedListeners()
    for broker_id in broker_ids:
        inside = ListenerSettings("INSIDE", "0.0.0.0", 7000 + broker_id, "in.test", 0)
        advertised.bound(broker_id, ListenerSettings("PLAINTEXT", "", 0, "h", 0), 9000 + broker_id)
        advertised.bound(broker_id, inside, 7000 + broker_id)
    return advertised


def test_a_listener_advertises_the_port_that_it_has_got() -> None:
    main, inside = listeners(1).views
    assert (main.port, main.advertised_port) == (9001, 9001)
    assert (inside.port, inside.advertised_port) == (7001, 7001)


def test_published_listeners_are_in_the_state_and_in_the_configs() -> None:
    cluster = new_cluster(brokers=2)
    revision = cluster.metadata_revision
    listeners(1, 2).publish(cluster)
    assert cluster.metadata_revision > revision
    broker = cluster.brokers[2]
    assert (broker.host, broker.port) == ("h", 9002)
    assert broker.seen_from("INSIDE")[1:3] == ("in.test", 7002)
    assert broker.seen_from("") is broker
    assert cluster.configs.broker_value("advertised.listeners", 2) == (
        "PLAINTEXT://h:9002",
        "INSIDE://in.test:7002",
    )
    assert cluster.configs.broker_value("listeners", 2) == (
        "PLAINTEXT://:9002",
        "INSIDE://0.0.0.0:7002",
    )


def test_another_address_is_for_one_broker_or_counts_on() -> None:
    advertised = listeners(1, 2)
    advertised.advertise("PLAINTEXT", "out.test", 5)
    advertised.advertise("INSIDE", "one.test", 6, broker_id=2)
    told = [
        (each.broker_id, each.advertised_host, each.advertised_port) for each in advertised.views
    ]
    assert told == [
        (1, "out.test", 5),
        (1, "in.test", 7001),
        (2, "out.test", 6),
        (2, "one.test", 6),
    ]


def test_an_unknown_broker_or_listener_is_refused_and_changes_nothing() -> None:
    advertised = listeners(1, 2)
    before = advertised.views
    with pytest.raises(LookupError, match="no broker 3; the brokers are 1, 2"):
        advertised.advertise("PLAINTEXT", "h", 1, broker_id=3)
    with pytest.raises(LookupError, match="no listener STEER; its listeners are PLAINTEXT, INSIDE"):
        advertised.advertise("STEER", "h", 1)
    assert advertised.views == before


def test_an_address_of_ipv6_is_written_in_brackets() -> None:
    assert (address("::1", 1), address("h", 1)) == ("[::1]:1", "h:1")


def test_bootstrap_servers_are_the_addresses_that_a_test_advertises() -> None:
    with Cluster(brokers=2) as cluster:
        cluster.advertise("mapped.example:32000")
        assert cluster.bootstrap_servers == "mapped.example:32000,mapped.example:32001"
        cluster.advertise("[::1]:7", broker=2)
        assert cluster.bootstrap_servers == "mapped.example:32000,[::1]:7"
        with pytest.raises(LookupError, match="no broker 3; the brokers are 1, 2"):
            cluster.advertise("a:1", broker=3)
        with pytest.raises(ValueError, match="'a' is not written as host:port"):
            cluster.advertise("a")


@pytest.fixture
def ports() -> Iterator[list[int]]:
    with held_ports(3) as held:
        yield held


def test_clients_of_a_listener_get_the_addresses_of_that_listener(ports: list[int]) -> None:
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
        ClusterHandle(running).advertise("again.test:6")
        assert found(outside) == {("again.test", 6)}
        assert found(inside) == {("127.0.0.1", other)}
        with socket.create_connection(("127.0.0.1", idle), timeout=5):
            pass
        names = [(each.name, each.port) for each in ClusterHandle(running).listeners]
        assert names == [("PLAINTEXT", port), ("BROKER", other)]
        with pytest.raises(
            LookupError, match="no listener STEER; its listeners are PLAINTEXT, BROKER"
        ):
            ClusterHandle(running).advertise("h:1", listener="steer")
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
