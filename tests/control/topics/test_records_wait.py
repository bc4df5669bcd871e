"""Waits of a test until a topic has a number of records."""

import threading

import pytest

from mockbroker import Cluster

TIMEOUT = "20s"


def test_a_wait_ends_when_the_records_are_there() -> None:
    with Cluster() as cluster:
        appends = threading.Timer(0.02, lambda: [cluster.append("orders", "x") for _ in range(3)])
        appends.start()
        found = cluster.wait_for_records("orders", 3, timeout=TIMEOUT)
        assert [record.offset for record in found] == [0, 1, 2]
        appends.join()


def test_a_wait_counts_committed_records_alone() -> None:
    with Cluster(topics=["orders"]) as cluster:
        transaction = cluster.begin_transaction("svc")
        transaction.append("orders", "x")
        with pytest.raises(
            TimeoutError,
            match=r"^orders has 0 of 1 records after 10ms for read_committed, and 1 that are "
            "not committed; there is none$",
        ):
            cluster.wait_for_records("orders", isolation="read_committed", timeout="10ms")
        commits = threading.Timer(0.02, transaction.commit)
        commits.start()
        assert cluster.wait_for_records("orders", isolation="read_committed", timeout=TIMEOUT)
        commits.join()


def test_a_wait_in_vain_names_the_number_and_the_last_record() -> None:
    with Cluster(topics={"orders": 2}) as cluster:
        cluster.append("orders", "x" * 50, key="k", partition=1)
        with pytest.raises(
            TimeoutError,
            match=r"^orders-1 has 1 of 2 records after 10ms; the last is orders-1@0: key=b'k', "
            rf"value=b'{'x' * 40}'\.\.\. \(50 bytes\)$",
        ):
            cluster.wait_for_records("orders", 2, partition=1, timeout="10ms")
        with pytest.raises(
            TimeoutError, match=r"nope has .*: the topic does not exist; the topics are ord"
        ):
            cluster.wait_for_records("nope", timeout="10ms")


def test_a_wait_ends_when_the_cluster_stops() -> None:
    with Cluster() as cluster:
        stops = threading.Timer(0.02, cluster.__exit__, (None, None, None))
        stops.start()
        with pytest.raises(RuntimeError, match="the cluster is not running"):
            cluster.wait_for_records("orders", timeout=TIMEOUT)
        stops.join()
        cluster.__enter__()


@pytest.mark.asyncio
async def test_a_wait_on_the_clusters_own_loop_is_refused() -> None:
    async with Cluster(topics=["orders"]) as cluster:
        with pytest.raises(RuntimeError, match=r"cluster\.aio\.wait_for_records\(topic"):
            cluster.wait_for_records("orders")
        cluster.append("orders", "x")
        assert len(await cluster.aio.wait_for_records("orders", 1)) == 1
