"""What a test does with a running cluster, whatever runs it."""

import asyncio

import pytest

from mockbroker import Cluster
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.settings.settings import Given, resolve_settings


@pytest.mark.asyncio
async def test_a_cluster_that_something_else_has_started_is_handled_alike() -> None:
    settings = resolve_settings(Given(port=0, brokers=3, topics=["orders:2"]))
    running = RunningCluster(settings, asyncio.get_running_loop())
    await running.start()
    cluster = ClusterHandle(running)
    assert cluster.bootstrap_servers == running.bootstrap_servers
    leader = cluster.partition("orders", 0).leader
    assert cluster.partition("orders", 0).elect() != leader
    await running.stop()
    with pytest.raises(RuntimeError, match="the cluster is not running"):
        cluster.partition("orders", 0)


def test_addresses_are_known_once_it_has_started() -> None:
    with pytest.raises(RuntimeError, match="use it in a with statement"):
        _ = Cluster().bootstrap_servers


def test_a_cluster_is_looked_at_and_moved_only_while_it_runs() -> None:
    cluster = Cluster(topics={"orders": 1})
    for look in (lambda: cluster.clock, lambda: cluster.partition("orders", 0)):
        with pytest.raises(RuntimeError, match="the cluster is not running: use it in a with"):
            look()
        with cluster:
            look()
        with pytest.raises(RuntimeError, match="the cluster is not running"):
            look()


def test_a_handle_that_outlives_its_cluster_says_so() -> None:
    with Cluster() as cluster:
        clock = cluster.clock
    with pytest.raises(RuntimeError, match="the cluster is not running"):
        clock.advance("1s")
