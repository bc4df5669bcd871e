"""Control of a running cluster through its handle."""

import asyncio

import pytest

from mockbroker import API, Cluster, Fault
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.events.event_bus import subscribe
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.settings.settings import Given, resolve_settings
from mockbroker.wire import WireClient, WireProducer
from tests.support.faults import VERSION, produce_to
from tests.support.requests import metadata


@pytest.mark.asyncio
async def test_a_cluster_started_by_other_code_has_the_same_handle() -> None:
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


def test_a_cluster_can_only_be_used_while_it_runs() -> None:
    cluster = Cluster(topics={"orders": 1})
    for look in (lambda: cluster.clock, lambda: cluster.partition("orders", 0)):
        with pytest.raises(RuntimeError, match="the cluster is not running: use it in a with"):
            look()
        with cluster:
            look()
        with pytest.raises(RuntimeError, match="the cluster is not running"):
            look()


def test_a_handle_of_a_stopped_cluster_is_refused() -> None:
    with Cluster() as cluster:
        clock = cluster.clock
    with pytest.raises(RuntimeError, match="the cluster is not running"):
        clock.advance("1s")


DAY_MS = 86_400_000
HOUR_MS = 3_600_000


def test_a_function_sees_the_state_and_the_time() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        names = cluster.look(lambda state, now_ms: ([topic.name for topic in state.topics], now_ms))
    assert names[0] == ["orders"]
    assert names[1] > 0
    with pytest.raises(RuntimeError, match="not running"):
        cluster.look(lambda _state, _now_ms: None)


def test_a_cluster_without_an_admin_port_has_no_url() -> None:
    with Cluster() as cluster, pytest.raises(RuntimeError, match="no admin port"):
        _ = cluster.admin_url
    with Cluster(admin_port=0) as cluster:
        assert cluster.admin_url.startswith("http://127.0.0.1:")


def produce(cluster: ClusterHandle, transactional_id: str = "mine") -> None:
    with WireProducer(cluster.bootstrap_servers, transactional_id) as producer:
        producer.init_producer_id()
        assert producer.add_partition("orders") is ErrorCode.NONE
        producer.produce("orders", b"value", base_sequence=0)
        assert producer.commit() is ErrorCode.NONE


def text_of(cluster: ClusterHandle) -> str:
    return cluster.look(lambda state, _now_ms: state.as_text())


def test_a_reset_restores_the_first_state_on_the_same_ports() -> None:
    with Cluster(brokers=2, topics={"orders": 1}, clock="manual") as cluster:
        servers, first, now_ms = cluster.bootstrap_servers, text_of(cluster), cluster.clock.now_ms
        produce(cluster)
        cluster.fault(API.METADATA, name="r").observe()
        cluster.clock.advance("7d")
        cluster.kill(2)
        cluster.seed(7)
        cluster.reset()
        assert cluster.bootstrap_servers == servers
        assert text_of(cluster) == first
        assert now_ms <= cluster.clock.now_ms < now_ms + DAY_MS
        assert cluster.faults == []
        assert [broker.state for broker in cluster.brokers] == ["running", "running"]
        produce(cluster)
        assert cluster.partition("orders", 0).high_watermark == 2


def test_the_same_requests_give_the_same_state_after_a_reset() -> None:
    with Cluster(topics={"orders": 1}, clock="manual") as cluster:
        texts: list[str] = []
        moment_ms = cluster.clock.now_ms + HOUR_MS
        for _ in range(2):
            cluster.clock.set(moment_ms)
            produce(cluster)
            texts.append(text_of(cluster))
            cluster.reset()
    assert texts[0] == texts[1]


def test_a_reset_closes_connections_and_drops_held_requests() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        held = cluster.fault(API.PRODUCE).hold()
        with WireClient(cluster.bootstrap_servers) as client:
            client.send(produce_to(0), VERSION)
            held.wait_held()
            cluster.reset()
            with pytest.raises(ConnectionError):
                client.receive(VERSION, ProduceResponse)
        assert cluster.partition("orders", 0).log_end_offset == 0
        assert held.release() == 0


def test_a_reset_preserves_the_advertised_address() -> None:
    with Cluster() as cluster:
        cluster.advertise("mapped.example:32000")
        cluster.reset()
        assert cluster.bootstrap_servers == "mapped.example:32000"


@pytest.mark.asyncio
async def test_subscribers_stay_subscribed_after_a_reset() -> None:
    settings = resolve_settings(Given(port=0, topics=["orders:1"]))
    running = RunningCluster(settings, asyncio.get_running_loop())
    await running.start()
    cluster = ClusterHandle(running)
    events: list[str] = []
    stop = subscribe(running.service, lambda event: events.append(type(event).__name__))
    cluster.reset()
    assert events == ["ClusterEvent"]
    await asyncio.to_thread(produce, cluster)
    text_of(cluster)  # what follows an answer is done by now
    assert "MarkerAppended" in events
    stop()
    assert running.service.event_bus is None
    await running.stop()


def hits_of(cluster: Cluster, fault: Fault) -> int:
    """Ask for metadata, and count how often the fault has struck by then."""
    with WireClient(cluster.bootstrap_servers) as client:
        client.ask(metadata(), 12, MetadataResponse)
    return fault.hits


def test_random_choices_use_the_given_seed() -> None:
    struck: list[list[int]] = []
    with Cluster() as cluster:
        for _ in range(2):
            cluster.seed(5)
            fault = cluster.fault(API.METADATA).observe().with_probability(0.5)
            struck.append([hits_of(cluster, fault) for _ in range(16)])
            fault.remove()
    assert struck[0] == struck[1]
    assert 0 < struck[0][-1] < 16
