"""The public handle: it starts with `with` or `async with`, and leaves nothing behind."""

import asyncio
import contextlib
import gc
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import cast

import pytest

from mockbroker import API, Cluster, Release, SettingsError
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.state.clock import ClockMode
from mockbroker.wire import WireClient
from tests.support.held_ports import held_ports
from tests.support.requests import batch_of, produce
from tests.support.wire import metadata_of

PATIENCE_S = 10
MISSPELT = "auto.create.topic.enable"


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
        own = {each.name for each in set(threading.enumerate()) - before}
        assert own == {"mockbroker-watchdog"}
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
        (lambda: Cluster(kafka=cast("Release", "9")), "kafka=9: "),
        (
            lambda: Cluster(kafka=cast("Release", 3.9)),
            'kafka=3.9: write the release as text, kafka="3.9"; as a number, 3.10 would be 3.1',
        ),
        (
            lambda: Cluster(brokers=cast("int", "3")),
            "brokers=3: write a number: brokers=3",
        ),
        (lambda: Cluster(topics="orders"), "topics=orders: write a list: topics=['orders']"),
        (
            lambda: Cluster(topics=["orders:3"]),
            "topics=orders:3: write a number of partitions as a mapping: topics={'orders': 3}",
        ),
        (
            lambda: Cluster(topics=cast("list[str]", [1])),
            "topics=1: a list has the names of topics",
        ),
        (
            lambda: Cluster(config={MISSPELT: "false"}),
            f"{MISSPELT}=false: Kafka 4.4 has no broker config {MISSPELT} (`allow_unknown_config=",
        ),
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


def test_a_list_of_topics_has_the_default_number_of_partitions() -> None:
    with Cluster(topics=["orders", "bills"], config={"num.partitions": 3}) as cluster:
        assert topics_of(cluster) == {"orders": 3, "bills": 3}


def test_configs_are_text_numbers_or_truth_values() -> None:
    config: dict[str, str | int] = {"auto.create.topics.enable": False, "num.partitions": 2}
    with Cluster(config=config) as cluster:
        configs = cluster.look(lambda state, _now_ms: state.configs)
        assert [configs.broker_value(name) for name in config] == [False, 2]


def test_an_unknown_config_can_be_allowed() -> None:
    with pytest.raises(SettingsError, match=r"did you mean auto\.create\.topics\.enable\?"):
        Cluster(config={MISSPELT: "false"})
    config = {"num.partitions": "2", "from.another.release": "1"}
    with Cluster(topics=["orders"], config=config, allow_unknown_config=True) as cluster:
        assert topics_of(cluster) == {"orders": 2}


def test_a_cluster_that_runs_cannot_be_entered_again(mockbroker: Cluster) -> None:
    servers = mockbroker.bootstrap_servers
    with pytest.raises(RuntimeError, match="the cluster runs already, and needs no second `with`"):
        mockbroker.__enter__()
    assert metadata_of(servers).brokers, "it still runs"


@pytest.mark.asyncio
async def test_a_cluster_on_a_loop_cannot_be_entered_again() -> None:
    async with Cluster() as cluster:
        with pytest.raises(RuntimeError, match="the cluster runs already"):
            async with cluster:
                raise AssertionError("it was entered")
        assert cluster.brokers, "it still runs"


@pytest.mark.parametrize(
    "use",
    [
        lambda cluster: cluster.bootstrap_servers,
        lambda cluster: cluster.records("orders"),
        lambda cluster: cluster.partition("orders", 0),
        lambda cluster: cluster.transaction("svc"),
        lambda cluster: cluster.fault(API.PRODUCE),
        lambda cluster: cluster.kill(1),
        lambda cluster: cluster.clock.advance("1s"),
        lambda cluster: cluster.assert_exactly_once(),
        lambda cluster: cluster.__exit__(None, None, None),
    ],
)
def test_a_cluster_that_does_not_run_says_how_to_start_it(use: Callable[[Cluster], object]) -> None:
    with pytest.raises(RuntimeError, match="use it in a with statement"):
        use(Cluster(topics=["orders"]))


IN_A_FORKED_CHILD = """
import os, socket, sys
from mockbroker import API, Cluster

def said(work):
    try:
        return work()
    except RuntimeError as refusal:
        return str(refusal)

with Cluster(topics={"orders": 1}, journal=True) as cluster:
    fault = cluster.fault(API.PRODUCE).hold()
    parent = os.getpid()
    if child := os.fork():
        _, status = os.waitpid(child, 0)
        print(status, cluster.brokers[0].state)
    else:
        for use in (
            lambda: cluster.records("orders"),
            lambda: cluster.kill(1),
            lambda: cluster.clock.advance("7d"),
            lambda: fault.wait_held(timeout="60s"),
            lambda: cluster.wait_for_records("orders", timeout="60s"),
            cluster.journal.entries,
        ):
            assert said(use).startswith(f"the cluster runs in process {parent}; this is a forked"
                                        f" child of it, process {os.getpid()}, where"), said(use)
        host, port = cluster.bootstrap_servers.split(":")
        socket.create_connection((host, int(port))).close()
        with Cluster(topics={"other": 1}) as own:
            print("of its own:", own.records("other"), flush=True)
"""
TO_FORK = ("-W", "ignore::DeprecationWarning", "-c")  # of processes with threads, since 3.12


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_forked_child_is_refused_at_once_and_may_have_a_cluster_of_its_own() -> None:
    run = subprocess.run(
        [sys.executable, *TO_FORK, IN_A_FORKED_CHILD],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.stdout.splitlines() == ["of its own: []", "0 running"], run.stderr


IN_A_FORKED_COROUTINE = """
import asyncio, os
from mockbroker import Cluster

async def main():
    async with Cluster() as cluster:
        if child := os.fork():
            print(os.waitpid(child, 0)[1], len(cluster.brokers))
        else:
            try:
                cluster.brokers
            except RuntimeError as refusal:
                os._exit("forked child" not in str(refusal))

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_forked_child_of_a_coroutine_is_refused() -> None:
    run = subprocess.run(
        [sys.executable, *TO_FORK, IN_A_FORKED_COROUTINE],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.stdout.split() == ["0", "1"], run.stderr
