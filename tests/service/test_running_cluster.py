"""A cluster's life on an event loop."""

import asyncio
import socket

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.running_cluster import RunningCluster
from mockbroker.settings import Given, resolve_settings
from tests.service.support.logged import Logged
from tests.service.support.virtual_loop import VirtualLoop

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


async def test_an_advertised_address_is_the_one_that_is_told() -> None:
    given = Given(port=0, configs=["advertised.listeners=PLAINTEXT://kafka.test:19092"])
    cluster = cluster_of(given)
    await cluster.start()
    assert cluster.bootstrap_servers == "kafka.test:19092"
    await cluster.stop()


async def test_topics_of_the_settings_are_there() -> None:
    state = cluster_of(Given(topics=["orders:3", "plain"])).state
    assert {topic.name: len(topic.partitions) for topic in state.topics} == {
        "orders": 3,
        "plain": 1,
    }


async def test_a_topic_that_cannot_be_is_refused() -> None:
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


@pytest.mark.parametrize("listens", [True, False])
async def test_where_a_port_is_taken_none_is_left_open(listens: bool) -> None:
    first, second = free_ports()
    with socket.socket() as taken:
        # Bound and not listening, a port can be bound again, but not listened on twice.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", second))
        cluster = cluster_of(Given(port=first, brokers=2))
        if listens:
            taken.listen()
            with pytest.raises(OSError, match="in use"):
                await cluster.start()
        else:
            await assert_listening_late_is_refused(cluster, taken)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", first)
    assert not cluster.listeners


async def assert_listening_late_is_refused(cluster: RunningCluster, taken: socket.socket) -> None:
    """Let another program begin to listen between our binding and our listening."""
    listener_start = cluster.service.loop.create_server

    async def late(*args: object, **kwargs: object) -> object:
        raise OSError(98, "Address already in use")

    starts = iter([listener_start, late])

    class Loop:
        async def create_server(self, *args: object, **kwargs: object) -> object:
            return await next(starts)(*args, **kwargs)  # type: ignore[arg-type]

    cluster.service.loop = Loop()  # type: ignore[assignment]
    with pytest.raises(OSError, match="in use"):
        await cluster.start()


async def test_nothing_listens_before_the_start() -> None:
    settings = resolve_settings(Given(port=0))
    cluster = RunningCluster(settings, VirtualLoop().as_loop)
    assert cluster.bootstrap_servers == "127.0.0.1:0"
    assert not cluster.listeners
