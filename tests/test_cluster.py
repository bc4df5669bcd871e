"""The public handle: it starts with `with` or `async with`, and leaves nothing behind."""

import asyncio
import contextlib
import gc
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import cast

import pytest

from mockbroker import Cluster, SettingsError
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.state.clock import ClockMode
from mockbroker.wire import WireClient
from tests.support.held_ports import held_ports
from tests.support.requests import batch_of, produce
from tests.support.wire import metadata_of

PATIENCE_S = 10


def addresses(cluster: Cluster) -> list[tuple[str, int]]:
    pairs = (server.rsplit(":", 1) for server in cluster.bootstrap_servers.split(","))
    return [(host, int(port)) for host, port in pairs]


def topics_of(cluster: Cluster) -> dict[str | None, int]:
    answer = metadata_of(cluster.bootstrap_servers)
    return {topic.name: len(topic.partitions) for topic in answer.topics}


def test_a_cluster_serves_inside_its_with_block() -> None:
    with Cluster(brokers=3, topics={"orders": 2}) as cluster:
        assert len(metadata_of(cluster.bootstrap_servers).brokers) == 3
        assert topics_of(cluster) == {"orders": 2}


def test_a_stopped_cluster_leaves_no_thread_and_no_port() -> None:
    before = set(threading.enumerate())
    with Cluster(brokers=2) as cluster:
        clients = [WireClient(each) for each in cluster.bootstrap_servers.split(",")]
        opened = addresses(cluster)
    assert set(threading.enumerate()) == before
    for address in opened:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address)
    for client in clients:
        client.close()
    gc.collect()  # what was left open would warn, and warnings are errors


@pytest.mark.asyncio
async def test_a_cluster_runs_on_the_running_loop() -> None:
    before = set(threading.enumerate())
    async with Cluster(topics={"orders": 1}) as cluster:
        reader, writer = await asyncio.open_connection(*addresses(cluster)[0])
        assert set(threading.enumerate()) == before
    with contextlib.suppress(ConnectionResetError):
        assert not await reader.read()
    writer.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*addresses(cluster)[0])


def test_a_cluster_starts_empty_each_time() -> None:
    cluster = Cluster(topics={"orders": 1})
    offsets: list[int] = []
    for _ in range(2):
        with cluster:
            with WireClient(cluster.bootstrap_servers) as client:
                answer = client.ask(produce(records=batch_of(b"x")), 9, ProduceResponse)
            offsets.append(answer.responses[0].partition_responses[0].base_offset)
            assert topics_of(cluster) == {"orders": 1}
    assert offsets == [0, 0]


def test_two_clusters_share_nothing() -> None:
    with Cluster(topics={"a": 1}) as first, Cluster(topics={"b": 2}) as second:
        assert set(addresses(first)).isdisjoint(addresses(second))
        assert topics_of(first) == {"a": 1}
        assert topics_of(second) == {"b": 2}


def test_release_config_host_and_port_are_chosen() -> None:
    chosen = partial(
        Cluster, kafka="2.4", topics={"t": 1}, config={"broker.id": "9"}, host="127.0.0.1"
    )
    with held_ports() as (port,), chosen(port=port) as cluster:
        assert cluster.bootstrap_servers == f"127.0.0.1:{port}"
        answer = metadata_of(cluster.bootstrap_servers)
    assert [broker.node_id for broker in answer.brokers] == [9]


def test_invalid_settings_are_refused_before_the_start() -> None:
    with pytest.raises(SettingsError, match=r"num\.partitions=many"):
        Cluster(config={"num.partitions": "many"})


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Cluster(topics={"a": 0}), "topics=a:0: each topic has a name, and a number of"),
        (lambda: Cluster(kafka="9"), "kafka=9: "),
        (lambda: Cluster(config={"": "x"}), "config==x: each value has a name"),
        (
            lambda: Cluster(features={"transaction.version": 3}),
            "features transaction.version=3: allowed are 0 to 2",
        ),
        (lambda: Cluster(brokers=0), "brokers=0: allowed are 1 to 100"),
        (lambda: Cluster(port=65535, brokers=3), "port=65535: allowed are 0, or 1 to 65533 for 3"),
    ],
)
def test_an_error_names_the_parameter(make: Callable[[], Cluster], why: str) -> None:
    with pytest.raises(SettingsError) as error:
        make()
    assert str(error.value).startswith(why)
    assert "--" not in str(error.value)


def test_a_start_that_fails_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        cluster = Cluster(port=taken.getsockname()[1])
        with pytest.raises(OSError, match="in use"), cluster:
            pass
    assert set(threading.enumerate()) == before


def test_a_proposal_and_a_clock_are_chosen_by_name() -> None:
    with pytest.raises(SettingsError, match=r"proposals=telepathy: there is no such proposal"):
        Cluster(proposals=["telepathy"])
    with pytest.raises(SettingsError, match=r"clock=stopped: allowed are offset, manual, real"):
        Cluster(clock=cast("ClockMode", "stopped"))
