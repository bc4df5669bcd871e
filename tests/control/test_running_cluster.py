"""A cluster's life on an event loop."""

import asyncio
import socket
from collections.abc import Callable
from errno import EADDRINUSE
from typing import cast

import pytest

from mockbroker.control.running_cluster import ClusterAccess, RunningCluster
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.settings.settings import Given, resolve_settings
from tests.support.logged import Logged
from tests.support.virtual_loop import VirtualLoop

pytestmark = pytest.mark.asyncio


def cluster_of(given: Given) -> RunningCluster:
    return RunningCluster(resolve_settings(given), asyncio.get_running_loop())


async def test_each_broker_listens_on_a_port_of_its_own() -> None:
    cluster = cluster_of(Given(port=0, brokers=3))
    await cluster.start()
    ports = [broker.port for broker in cluster.state.brokers.values()]
    assert len(set(ports)) == 3
    assert cluster.bootstrap_servers == ",".join(f"127.0.0.1:{port}" for port in ports)
    for port in ports:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
    await cluster.stop()
    assert not cluster.listeners
    for port in ports:
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)


async def test_each_broker_shows_its_own_configs() -> None:
    cluster = cluster_of(Given(port=0, brokers=2, configs=["node.id=5"]))
    await cluster.start()
    for node_id, broker in cluster.state.brokers.items():
        shown = cluster.state.configs.static_by_broker[node_id]
        assert shown["node.id"] == str(node_id)
        assert str(broker.port) in shown["listeners"]
    await cluster.stop()


async def test_bootstrap_servers_are_the_advertised_listeners() -> None:
    given = Given(port=0, configs=["advertised.listeners=PLAINTEXT://kafka.test:19092"])
    cluster = cluster_of(given)
    await cluster.start()
    assert cluster.bootstrap_servers == "kafka.test:19092"
    await cluster.stop()


async def test_topics_of_the_settings_exist() -> None:
    state = cluster_of(Given(topics=["orders:3", "plain"])).state
    assert {topic.name: len(topic.partitions) for topic in state.topics} == {
        "orders": 3,
        "plain": 1,
    }


async def test_an_invalid_topic_is_refused() -> None:
    with pytest.raises(ApiError) as refused:
        cluster_of(Given(topics=["a/b"]))
    assert refused.value.code is ErrorCode.INVALID_TOPIC_EXCEPTION


async def test_warnings_of_the_settings_are_logged(logged: Logged) -> None:
    cluster = cluster_of(Given(port=0, configs=["no.such.config=1"]))
    await cluster.start()
    await cluster.stop()
    (fields,) = logged.named("config_ignored")
    assert "no.such.config" in str(fields["why"])


def free_ports() -> tuple[int, int]:
    """Find two ports that follow each other and are free."""
    for port in range(21_000, 31_000, 7):
        try:
            with socket.create_server(("127.0.0.1", port)):
                socket.create_server(("127.0.0.1", port + 1)).close()
        except OSError:
            continue
        return port, port + 1
    raise AssertionError("no two ports are free")


async def test_when_a_port_is_taken_no_other_stays_open() -> None:
    first, second = free_ports()
    cluster = cluster_of(Given(port=first, brokers=2))
    with (
        socket.create_server(("127.0.0.1", second)),
        pytest.raises(OSError, match="in use"),
    ):
        await cluster.start()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", first)
    assert not cluster.listeners


class OnlyOneListens:
    """A loop on whose second port another program begins to listen in between."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._is_first = True

    async def create_server(
        self, factory: Callable[[], asyncio.BaseProtocol], *, sock: socket.socket, backlog: int
    ) -> asyncio.Server:
        """Listen once."""
        if not self._is_first:
            raise OSError(EADDRINUSE, "Address already in use")
        self._is_first = False
        return await self._loop.create_server(factory, sock=sock, backlog=backlog)


async def test_when_a_port_is_taken_at_the_last_moment_no_other_stays_open() -> None:
    cluster = cluster_of(Given(port=0, brokers=2))
    loop = OnlyOneListens(asyncio.get_running_loop())
    cluster.service.loop = cast("asyncio.AbstractEventLoop", loop)
    with pytest.raises(OSError, match="in use"):
        await cluster.start()
    assert not cluster.listeners
    port = cluster.state.brokers[1].port
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_a_cluster_has_no_open_ports_before_the_start() -> None:
    settings = resolve_settings(Given(port=0))
    cluster = RunningCluster(settings, VirtualLoop().as_loop)
    assert cluster.bootstrap_servers == "127.0.0.1:0"
    assert not cluster.listeners


async def test_the_cluster_id_is_random_unless_it_is_given() -> None:
    drawn, given = cluster_of(Given()), cluster_of(Given(cluster_id="4L6g3nShT-eMCtK--X86sw"))
    assert given.state.cluster_id == "4L6g3nShT-eMCtK--X86sw"
    assert drawn.state.cluster_id != given.state.cluster_id
    assert drawn.state.random.state == given.state.random.state


async def test_a_cluster_is_accessible_while_it_runs() -> None:
    cluster = cluster_of(Given(port=0))
    access = ClusterAccess()
    with pytest.raises(RuntimeError, match="not running"):
        _ = access.started
    access.cluster = cluster
    assert access.started is cluster
    with pytest.raises(RuntimeError, match="not running"):
        _ = access.control
    await cluster.start()
    assert access.control is access.running.control is cluster.control
    await cluster.stop()
    assert access.started is cluster
    with pytest.raises(RuntimeError, match="not running"):
        _ = access.running
