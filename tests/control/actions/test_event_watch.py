"""A thread waits for an event of the cluster."""

import pytest

from mockbroker import API, Cluster, at
from mockbroker.faults.conditions import Event
from mockbroker.wire import WireProducer


def produce(cluster: Cluster, *values: bytes) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        for sequence, value in enumerate(values):
            producer.produce("orders", value, base_sequence=sequence)


def test_a_watch_ends_when_its_event_occurs() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        watch = cluster.watch(at.records("orders", 2))
        produce(cluster, b"1")
        assert not watch.has_occurred
        produce(cluster, b"2")
        watch.wait()
        assert watch.has_occurred
        cluster.watch(at.log_end_offset("orders", 0, 2)).wait(timeout=None)


@pytest.mark.parametrize(
    "event", [at.records("orders", 4), at.log_end_offset("orders", 0, 4)], ids=repr
)
def test_the_last_request_of_a_fast_producer_ends_a_watch(event: Event) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        watch = cluster.watch(event)
        produce(cluster, b"1", b"2", b"3", b"4")
        watch.wait()


def test_a_fault_that_fires_is_an_event() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        fault = cluster.fault(API.PRODUCE).observe().once()
        watch = cluster.watch(at.fault(fault))
        produce(cluster, b"1")
        watch.wait()


def test_a_watch_that_ends_before_its_event_names_it() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        watch = cluster.watch(at.records("orders", 1))
        with pytest.raises(TimeoutError, match=r"at.records\('orders', 1\) did not occur within 0"):
            watch.wait(timeout="0ms")
        watch.stop()
        produce(cluster, b"1")
        assert not watch.has_occurred
        with pytest.raises(TimeoutError, match=r"did not occur$"):
            watch.wait(timeout=None)


def test_a_watch_ends_when_the_cluster_stops_or_is_reset() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        watch = cluster.watch(at.records("orders", 1))
        cluster.reset()
        with pytest.raises(RuntimeError, match="the cluster was reset before this was complete"):
            watch.wait()
        watch = cluster.watch(at.records("orders", 1))
    with pytest.raises(RuntimeError, match="the cluster is not running"):
        watch.wait()


def test_the_clusters_own_loop_does_not_wait_for_itself() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        watch = cluster.watch(at.records("orders", 1))
        with pytest.raises(RuntimeError, match=r"await cluster.aio.watch\(event"):
            cluster.look(lambda _cluster, _now_ms: watch.wait())
