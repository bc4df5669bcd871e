"""Bad clients on real sockets, and the good one beside them."""

import gc
import http.client
import socket
import ssl
import struct
import sys
import time
from collections.abc import Iterator
from random import Random
from typing import Final

import pytest

from mockbroker.protocol.messages.produce import ProduceResponse
from tests.conformance.batches import plain
from tests.robustness.corpus import TOPIC, corpus
from tests.robustness.running import Running, many_files, resident_bytes, running
from tests.robustness.spoiling import spoiled
from tests.support.in_process import (
    SIZE,
    Brokers,
    frame_of,
    sized,
)
from tests.support.logged import Logged
from tests.support.requests import fetch, metadata, produce

pytestmark = pytest.mark.slow

MIB: Final = 1024 * 1024
SPOILED_FRAMES: Final = 10_000
IDLE_CONNECTIONS: Final = 2_500
SLOW_CONNECTIONS: Final = 2_500
CONNECTION_BYTES_MAX: Final = 12 * 1024
ROUND_TRIPS: Final = 200
ROUND_TRIPS_S: Final = 10
LONG_WAIT_MS: Final = 600_000


@pytest.fixture(params=["as installed", "asyncio"])
def broker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    if request.param == "asyncio":
        monkeypatch.setitem(sys.modules, "uvloop", None)
    with running(f"{TOPIC}:2") as broker:
        yield broker


def batch(*values: bytes) -> bytes:
    return plain(*values, at_ms=int(time.time() * 1000))


def assert_serves_promptly(broker: Running) -> None:
    """Be a good client for a while."""
    started_s = time.monotonic()
    with broker.client() as client:
        for _ in range(ROUND_TRIPS):
            answer = client.ask(produce(TOPIC, 1, batch(b"good")), 9, ProduceResponse)
            assert answer.responses[0].partition_responses[0].error_code == 0
    assert time.monotonic() - started_s < ROUND_TRIPS_S


def test_corrupted_frames_are_refused_over_sockets(broker: Running, logged: Logged) -> None:
    random = Random(1)
    frames = corpus(Brokers(topics={TOPIC: 2}))
    for _ in range(SPOILED_FRAMES):
        with socket.create_connection(broker.address) as client:
            client.sendall(sized(spoiled(random.choice(frames), random)))
            client.shutdown(socket.SHUT_WR)
            while client.recv(MIB):
                pass
    closed = logged.named("connection_closed")
    assert len(closed) > SPOILED_FRAMES // 2
    assert all(fields["reason"] and fields["peer"] for fields in closed)
    assert not logged.named("handler_failed")
    assert_serves_promptly(broker)


def test_thousands_of_idle_and_slow_connections(broker: Running) -> None:
    request = sized(frame_of(metadata(), 12))
    half = len(request) // 2
    with many_files():
        before_bytes = resident_bytes()
        idle = [broker.open() for _ in range(IDLE_CONNECTIONS)]
        slow = [broker.open() for _ in range(SLOW_CONNECTIONS)]
        for client in slow:
            client.sendall(request[:half])
        broker.until(lambda: broker.connections() == len(idle) + len(slow))
        assert_serves_promptly(broker)
        grown_bytes = resident_bytes() - before_bytes
        assert grown_bytes < CONNECTION_BYTES_MAX * (len(idle) + len(slow))
        for client in slow:
            client.sendall(request[half:])
        for client in slow:
            (size_bytes,) = SIZE.unpack(client.recv(SIZE.size, socket.MSG_WAITALL))
            assert len(client.recv(size_bytes, socket.MSG_WAITALL)) == size_bytes
        broker.leave()


def fill(broker: Running, size_bytes: int) -> None:
    """Put so many bytes into the first partition."""
    with broker.client() as client:
        for _ in range(size_bytes // MIB):
            client.ask(produce(TOPIC, 0, batch(bytes(MIB - 1024))), 9, ProduceResponse)


def send_all_that_fits(broker: Running, client: socket.socket, data: bytes) -> int:
    """Send until nothing more is taken; return how much was."""
    sent = 0
    while sent < len(data):
        try:
            sent += client.send(data[sent : sent + MIB])
        except BlockingIOError:
            break
        broker.until(lambda: True)
    return sent


def test_a_client_that_never_reads_costs_one_answer(broker: Running) -> None:
    answer_bytes = 16 * MIB
    fill(broker, answer_bytes)
    requests = sized(frame_of(fetch(TOPIC), 12)) * 200_000
    gc.collect()
    before_bytes = resident_bytes()
    client = broker.open()
    client.setblocking(False)
    sent_bytes = send_all_that_fits(broker, client, requests)
    assert sent_bytes < len(requests)
    assert_serves_promptly(broker)
    assert resident_bytes() - before_bytes < 4 * answer_bytes


def test_a_wrong_frame_size_allocates_no_memory(broker: Running) -> None:
    before_bytes = resident_bytes()
    liars = [broker.open() for _ in range(200)]
    for liar in liars:
        liar.sendall(SIZE.pack(100 * MIB) + bytes(10_000))
    broker.until(lambda: broker.connections() == len(liars))
    assert_serves_promptly(broker)
    assert resident_bytes() - before_bytes < len(liars) * 128 * 1024


def test_clients_that_leave_during_a_delayed_fetch_leave_nothing_behind(broker: Running) -> None:
    waiting = broker.cluster.service.purgatory.waiting
    request = sized(frame_of(fetch(TOPIC, max_wait_ms=LONG_WAIT_MS), 12))
    clients = [broker.open() for _ in range(200)]
    for client in clients:
        client.sendall(request)
    broker.until(lambda: sum(map(len, waiting.values())) == len(clients))
    for client in clients[1:]:
        client.close()
    broker.until(lambda: sum(map(len, waiting.values())) == 1)
    with broker.client() as writer:
        writer.ask(produce(TOPIC, 0, batch(b"news")), 9, ProduceResponse)
    (size_bytes,) = SIZE.unpack(clients[0].recv(SIZE.size, socket.MSG_WAITALL))
    assert b"news" in clients[0].recv(size_bytes, socket.MSG_WAITALL)
    assert not waiting


def test_clients_that_reset_the_connection_are_forgotten(broker: Running) -> None:
    no_linger = struct.pack("ii", 1, 0)
    request = sized(frame_of(fetch(TOPIC), 12))
    fill(broker, 4 * MIB)
    for _ in range(200):
        client = broker.open()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_linger)
        client.sendall(request * 5)
        client.recv(1)
        client.close()
    broker.until(lambda: not broker.connections())
    assert_serves_promptly(broker)


def test_a_browser_gets_a_page_that_explains_the_port(broker: Running, logged: Logged) -> None:
    browser = http.client.HTTPConnection(*broker.address)
    browser.request("GET", "/")
    response = browser.getresponse()
    assert response.status == 421
    assert b"Kafka" in response.read()
    browser.close()
    assert [fields["why"] for fields in logged.named("not_kafka")] == [
        "an HTTP request on the Kafka port"
    ]


def test_a_tls_client_is_refused_with_a_log_line(broker: Running, logged: Logged) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client = broker.open()
    with pytest.raises(OSError, match=r"."):
        context.wrap_socket(client, server_hostname="localhost")
    (fields,) = logged.named("not_kafka")
    assert "security.protocol=PLAINTEXT" in str(fields["why"])


def test_a_cluster_that_stops_closes_all_connections(broker: Running) -> None:
    clients = [broker.open() for _ in range(20)]
    clients[0].sendall(sized(frame_of(fetch(TOPIC, max_wait_ms=LONG_WAIT_MS), 12)))
    broker.until(lambda: broker.connections() == len(clients))
    broker.stop()
    for client in clients:
        try:
            assert not client.recv(1)
        except ConnectionResetError:
            continue
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(broker.address)
