"""Toxics at a running cluster, with real sockets and real clients."""

import asyncio
import socket
import time
from collections.abc import Callable, Generator
from datetime import timedelta
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer
from confluent_kafka import Consumer, Producer

from mockbroker import Cluster, Fault
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.wire import WireClient
from tests.support.faults import VERSION, codes, produce_to
from tests.support.in_process import frame_of, sized
from tests.support.requests import metadata

PATIENCE_S = 10.0
ASKED = sized(frame_of(metadata(), 12))


@pytest.fixture(scope="module")
def shared() -> Generator[Cluster]:
    with Cluster(topics={"orders": 2}) as cluster:
        yield cluster


@pytest.fixture
def cluster(shared: Cluster) -> Generator[Cluster]:
    yield shared
    for fault in shared.faults:
        fault.remove()


@pytest.fixture
def raw(cluster: Cluster) -> Generator[socket.socket]:
    """Connect without any client library."""
    host, _, port = cluster.bootstrap_servers.partition(":")
    with socket.create_connection((host, int(port)), PATIENCE_S) as connected:
        yield connected


def all_of(raw: socket.socket) -> bytes:
    """Read until the broker hangs up."""
    data = b""
    while part := raw.recv(65_536):
        data += part
    return data


def answer(raw: socket.socket) -> bytes:
    """Send a request, and read its answer."""
    raw.sendall(ASKED)
    data = raw.recv(4)
    while len(data) < 4 + int.from_bytes(data[:4], "big"):
        data += raw.recv(65_536)
    return data


def test_a_reset_is_a_reset(cluster: Cluster, raw: socket.socket) -> None:
    fault = cluster.fault(broker=1).reset_peer(stream="upstream")
    raw.sendall(ASKED)
    with pytest.raises(ConnectionResetError):
        raw.recv(4)
    fault.wait()
    assert fault.touched_bytes == len(ASKED)


def test_a_limit_cuts_an_answer_off(cluster: Cluster, raw: socket.socket) -> None:
    whole = answer(raw)
    cluster.fault().limit_data(len(whole) + 7)
    assert answer(raw) == whole
    raw.sendall(ASKED)
    assert all_of(raw) == whole[:7]


def test_a_timeout_closes_without_a_byte(cluster: Cluster, raw: socket.socket) -> None:
    cluster.fault().timeout("30ms")
    raw.sendall(ASKED)
    assert all_of(raw) == b""


def test_a_slow_close_is_late(cluster: Cluster, raw: socket.socket) -> None:
    cluster.fault().slow_close("60ms")
    before = time.monotonic()
    raw.sendall(b"\xff" * 8)
    assert all_of(raw) == b""
    assert time.monotonic() - before >= 0.055


def test_bandwidth_takes_its_time(cluster: Cluster, raw: socket.socket) -> None:
    whole = answer(raw)
    cluster.fault().bandwidth(1)
    before = time.monotonic()
    assert answer(raw) == whole
    assert time.monotonic() - before >= 0.9 * len(whole) / 1000


def test_slices_come_apart_and_are_the_same_bytes(cluster: Cluster, raw: socket.socket) -> None:
    whole = answer(raw)
    fault = cluster.fault().slicer(40, size_variation=10, delay="1ms")
    assert answer(raw) == whole
    assert fault.touched_bytes == len(whole)


def test_latency_is_gone_when_the_fault_is(cluster: Cluster, raw: socket.socket) -> None:
    before = time.monotonic()
    with cluster.fault().latency("40ms", jitter="5ms"):
        assert answer(raw)
    assert time.monotonic() - before >= 0.03
    with cluster.fault().latency("1h") as fault:
        raw.sendall(ASKED)
        fault.wait()
    assert raw.recv(4)


WRONG: list[tuple[Callable[[Fault], Fault], str]] = [
    (lambda fault: fault.latency("soon"), "not a duration"),
    (lambda fault: fault.latency(timedelta(seconds=-1)), "cannot be negative"),
    (lambda fault: fault.bandwidth(0), "rate_kb_s=0: at least 1"),
    (lambda fault: fault.slicer(0), "average_size=0: at least 1"),
    (lambda fault: fault.slicer(5, size_variation=-1), "size_variation=-1: at least 0"),
    (lambda fault: fault.limit_data(-1), "limit_bytes=-1: at least 0"),
    (lambda fault: fault.latency("1ms", toxicity=0), "a number above 0, up to 1"),
    (lambda fault: fault.latency("1ms", toxicity=1.5), "a number above 0, up to 1"),
    (lambda fault: fault.timeout("1ms", stream="sideways"), "stream='sideways': allowed are"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "why"), WRONG)
def test_invalid_toxics_are_refused(
    cluster: Cluster, make: Callable[[Fault], Fault], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        make(cluster.fault())
    assert "latency" not in cluster.faults[-1].story()


def test_a_toxic_cannot_be_selected_by_topic_or_predicate(cluster: Cluster) -> None:
    with pytest.raises(ValueError, match=r"topic, when: bytes of connections are not chosen by it"):
        cluster.fault(topic="orders", when=lambda _call: True).latency("1s")


def test_a_toxic_that_touched_no_bytes_counts_as_never_fired(cluster: Cluster) -> None:
    fault = cluster.fault(client_id="billing").latency("1s")
    with WireClient(cluster.bootstrap_servers) as client:
        client.ask(produce_to(0), VERSION, ProduceResponse)
        with pytest.raises(AssertionError, match="fired 0 times; closest connection: connection"):
            cluster.assert_all_faults_fired()
        with pytest.raises(TimeoutError, match="the fault wants 'billing'"):
            fault.wait(timeout="10ms")


@pytest.mark.slow
def test_confluent_kafka_writes_once_through_a_connection_that_is_reset(cluster: Cluster) -> None:
    before = cluster.partition("orders", 1).log_end_offset
    settings = {"client.id": "writer", "enable.idempotence": True, "log_level": 2, "linger.ms": 0}
    producer = Producer(cluster.client_config("confluent", **settings))
    producer.produce("orders", b"first", partition=1)
    assert producer.flush(PATIENCE_S) == 0
    reset = cluster.fault(client_id="writer").reset_peer().once()
    for number in range(5):
        producer.produce("orders", b"%d" % number, partition=1)
    assert producer.flush(PATIENCE_S) == 0
    assert cluster.partition("orders", 1).log_end_offset == before + 6
    assert reset.hits == 1


@pytest.mark.slow
def test_confluent_kafka_reads_through_slices(cluster: Cluster) -> None:
    with WireClient(cluster.bootstrap_servers) as client:
        assert codes(client.ask(produce_to(0), VERSION, ProduceResponse)) == {("orders", 0): 0}
    slicer = cluster.fault(client_id="reader").slicer(13, size_variation=12)
    consumer = Consumer(
        cluster.client_config(
            "confluent",
            **{"client.id": "reader", "group.id": "readers", "auto.offset.reset": "earliest"},
        )
    )
    consumer.subscribe(["orders"])
    message = consumer.poll(PATIENCE_S)
    assert message is not None
    assert message.error() is None
    consumer.close()
    slicer.wait()


@pytest.mark.asyncio
async def test_aiokafka_waits_out_a_slow_network() -> None:
    async with Cluster(topics={"orders": 1}) as cluster:
        slow = cluster.fault(client_id="slow-app").latency("30ms", jitter="20ms", stream="upstream")
        producer: Any = AIOKafkaProducer(**cluster.client_config("aiokafka", client_id="slow-app"))
        await producer.start()
        try:
            sent = [await producer.send("orders", b"order") for _ in range(3)]
            offsets = [each.offset for each in await asyncio.gather(*sent)]
        finally:
            await producer.stop()
        assert offsets == [0, 1, 2]
        assert slow.hits >= 1
