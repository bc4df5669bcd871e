"""A connection: framing, order of responses, and misbehaving clients."""

import pytest

from mockbroker.broker.api_table import Route
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.server.connection import (
    LARGE_FRAME_BYTES,
    PENDING_MAX_BYTES,
    RECEIVE_BYTES,
)
from mockbroker.server.response_buffer import FLUSH_ABOVE_BYTES
from tests.support.fake_transport import HIGH_WATER_BYTES, PEER
from tests.support.in_process import (
    SIZE,
    Brokers,
    Peer,
    frame_of,
    read_answer,
    sized,
)
from tests.support.logged import Logged
from tests.support.requests import (
    batch_of,
    fetch,
    metadata,
    produce,
)

WAIT_MS = 500


@pytest.fixture
def brokers() -> Brokers:
    return Brokers(topics={"orders": 2})


@pytest.fixture
def peer(brokers: Brokers) -> Peer:
    return brokers.connect()


def offsets_answered(frames: list[bytes], version: int = 9) -> list[tuple[int, int]]:
    """Return correlation id and base offset of Produce responses."""
    answers = [read_answer(f, ApiKey.PRODUCE, version, ProduceResponse) for f in frames]
    return [
        (number, answer.responses[0].partition_responses[0].base_offset)
        for number, answer in answers
    ]


def produced(count: int, *, first: int = 1, version: int = 9) -> bytes:
    """Write several Produce requests in a row."""
    return b"".join(
        sized(frame_of(produce(), version, number)) for number in range(first, first + count)
    )


def test_a_request_is_answered_under_its_correlation_id(peer: Peer) -> None:
    peer.feed(sized(frame_of(metadata(), 12, 4711)))
    (frame,) = peer.new_frames()
    assert read_answer(frame, ApiKey.METADATA, 12, MetadataResponse)[0] == 4711


def test_requests_in_one_piece_are_answered_in_their_order(peer: Peer) -> None:
    peer.feed(produced(20))
    assert offsets_answered(peer.new_frames()) == [(n + 1, n) for n in range(20)]


def test_frames_may_arrive_byte_by_byte(peer: Peer) -> None:
    data = produced(3)
    for position in range(len(data)):
        peer.feed(data[position : position + 1])
    assert offsets_answered(peer.new_frames()) == [(1, 0), (2, 1), (3, 2)]


def test_an_empty_frame_ends_the_connection(peer: Peer, logged: Logged) -> None:
    peer.feed(SIZE.pack(0))
    assert peer.is_hung_up
    (fields,) = logged.named("connection_closed")
    assert fields["reason"] == "undecodable_request"


def test_a_refusal_is_logged_with_its_client(peer: Peer, logged: Logged) -> None:
    peer.feed(SIZE.pack(-1))
    assert peer.is_hung_up
    assert logged.named("connection_closed") == [
        {
            "reason": "bad_frame_size",
            "why": "a frame of -1 bytes",
            "broker": 1,
            "connection": 1,
            "peer": f"{PEER[0]}:{PEER[1]}",
        }
    ]


def test_a_frame_above_the_limit_names_the_setting(logged: Logged) -> None:
    peer = Brokers(configs={"socket.request.max.bytes": "1000"}).connect()
    peer.feed(SIZE.pack(1001) + bytes(10))
    assert peer.is_hung_up
    (fields,) = logged.named("connection_closed")
    assert "socket.request.max.bytes=1000" in str(fields["why"])


def test_responses_before_a_closed_connection_are_still_sent(peer: Peer, logged: Logged) -> None:
    peer.feed(produced(2) + SIZE.pack(-7) + produced(1, first=3))
    assert offsets_answered(peer.new_frames()) == [(1, 0), (2, 1)]
    assert peer.transport.is_lost
    assert len(logged.named("connection_closed")) == 1


def test_acks_0_is_not_answered(peer: Peer) -> None:
    for _ in range(2):
        peer.send(produce(acks=0), 9)
    assert peer.ask(fetch(), 12, FetchResponse).responses[0].partitions[0].high_watermark == 2


@pytest.mark.parametrize("fast", [True, False])
def test_a_large_frame_is_gathered_in_a_buffer_of_its_own(fast: bool) -> None:
    brokers = Brokers(topics={"orders": 1}, fast=fast)
    peer = brokers.connect()
    value = bytes(range(256)) * 2048
    for _ in range(3):
        peer.send(produce(records=batch_of(value)), 9)
    assert [offset for _, offset in offsets_answered(peer.new_frames())] == [0, 1, 2]
    assert brokers.log_bytes("orders").count(value) == 3


def test_small_frames_follow_a_large_one(peer: Peer) -> None:
    large = sized(frame_of(produce(records=batch_of(bytes(300_000))), 9, 1))
    peer.feed(large + produced(2, first=2))
    peer.feed(large)
    assert [n for n, _ in offsets_answered(peer.new_frames())] == [1, 2, 3, 1]


def test_memory_for_a_large_frame_grows_as_its_bytes_arrive(peer: Peer) -> None:
    declared = 100 * 1024 * 1024
    peer.feed(SIZE.pack(declared) + bytes(100))
    assert len(peer.connection.get_buffer(-1)) < 32 * 1024
    peer.feed(bytes(100_000))
    assert len(peer.connection.get_buffer(-1)) < 8 * 100_000


def test_an_undecodable_large_frame_ends_the_connection(peer: Peer, logged: Logged) -> None:
    peer.feed(sized(b"\xff" * (LARGE_FRAME_BYTES + 1)))
    assert peer.is_hung_up
    assert logged.named("connection_closed")[0]["reason"] == "unknown_api"


def test_requests_after_a_delayed_response_wait_for_it(brokers: Brokers, peer: Peer) -> None:
    peer.feed(sized(frame_of(fetch(max_wait_ms=WAIT_MS), 12, 1)))
    peer.feed(sized(frame_of(metadata(), 12, 2)))
    assert not peer.new_frames()
    brokers.pass_time(WAIT_MS)
    first, second = peer.new_frames()
    assert read_answer(first, ApiKey.FETCH, 12, FetchResponse)[0] == 1
    assert read_answer(second, ApiKey.METADATA, 12, MetadataResponse)[0] == 2
    assert not brokers.service.purgatory.waiting


def test_a_delayed_response_is_sent_as_soon_as_something_is_produced(
    brokers: Brokers, peer: Peer
) -> None:
    peer.send(fetch(max_wait_ms=WAIT_MS), 12)
    brokers.ask(produce(), 9, ProduceResponse)
    answer = peer.receive(ApiKey.FETCH, 12, FetchResponse)
    assert answer.responses[0].partitions[0].high_watermark == 1
    assert brokers.loop.is_idle


def test_the_delayed_response_of_a_client_that_leaves_is_removed(
    brokers: Brokers, peer: Peer
) -> None:
    peer.send(fetch(max_wait_ms=WAIT_MS), 12)
    peer.leave()
    assert not brokers.service.purgatory.waiting
    assert not brokers.listeners[1].connections
    assert brokers.loop.is_idle


def test_a_client_that_ends_its_side_is_disconnected(peer: Peer) -> None:
    assert not peer.connection.eof_received()


def test_many_requests_behind_a_delayed_response_pause_reading(
    brokers: Brokers, peer: Peer
) -> None:
    peer.send(fetch(max_wait_ms=WAIT_MS), 12)
    count = 20_000
    data = produced(1, first=2) * count
    taken = peer.feed(data)
    assert peer.transport.is_reading_paused
    assert PENDING_MAX_BYTES < taken <= PENDING_MAX_BYTES + RECEIVE_BYTES
    brokers.pass_time(WAIT_MS)
    assert not peer.transport.is_reading_paused
    peer.feed(data[taken:])
    assert len(peer.new_frames()) == 1 + count


def test_nothing_is_served_while_the_client_does_not_read(brokers: Brokers, peer: Peer) -> None:
    brokers.ask(produce(records=batch_of(bytes(200_000))), 9, ProduceResponse)
    peer.transport.client_reads = False
    for _ in range(50):
        peer.send(fetch(), 12)
    assert len(peer.transport.unread) < 2 * 200_000 + HIGH_WATER_BYTES
    peer.transport.drain()
    assert len(peer.new_frames()) == 50


def test_small_unread_responses_are_bounded_too() -> None:
    brokers = Brokers(topics={f"topic-{n:03}": 20 for n in range(100)})
    peer = brokers.connect()
    peer.transport.client_reads = False
    request = sized(frame_of(metadata(), 12, 1))
    peer.feed(request)
    answer_bytes = len(peer.transport.unread)
    peer.feed(request * (RECEIVE_BYTES // len(request)))
    assert len(peer.transport.unread) < FLUSH_ABOVE_BYTES + HIGH_WATER_BYTES + 2 * answer_bytes


def test_a_large_frame_waits_too_while_the_client_does_not_read(
    brokers: Brokers, peer: Peer
) -> None:
    brokers.ask(produce(records=batch_of(bytes(200_000))), 9, ProduceResponse)
    peer.transport.client_reads = False
    large = sized(frame_of(produce(index=1, records=batch_of(bytes(300_000))), 9, 2))
    peer.feed(large[:100_000])
    peer.connection.pause_writing()
    peer.feed(large[100_000:])
    assert peer.transport.is_reading_paused
    assert brokers.partition("orders", 1).log is None
    peer.connection.resume_writing()
    assert not peer.transport.is_reading_paused
    assert brokers.state.log_of(brokers.partition("orders", 1), 0).log_end_offset == 1


def test_requests_before_a_close_are_not_served_again(
    brokers: Brokers, peer: Peer, logged: Logged
) -> None:
    brokers.ask(produce(records=batch_of(bytes(200_000))), 9, ProduceResponse)
    peer.transport.client_reads = False
    request = sized(frame_of(fetch(), 12, 1))
    bad = SIZE.pack(-1)
    peer.feed(request + sized(frame_of(produce(index=1), 9, 2)) + request + bad)
    peer.transport.drain(keeps_reading=False)
    peer.transport.drain()
    assert peer.transport.is_lost
    log = brokers.state.log_of(brokers.partition("orders", 1), 0)
    assert log.log_end_offset == 1
    assert len(logged.named("connection_closed")) == 1


def test_the_time_is_read_again_when_serving_resumes(brokers: Brokers, peer: Peer) -> None:
    peer.connection.pause_writing()
    peer.send(produce(), 9)
    brokers.clock.advance(60_000)
    peer.connection.resume_writing()
    assert brokers.service.now_ms == brokers.clock.now_ms()


@pytest.mark.parametrize("pieces", [[4], [1, 1, 1, 1], [2, 14]])
def test_an_http_request_gets_an_explanation(peer: Peer, logged: Logged, pieces: list[int]) -> None:
    rest = b"GET / HTTP/1.1\r\n\r\n"
    for size in pieces:
        peer.feed(rest[:size])
        rest = rest[size:]
    assert peer.is_hung_up
    assert peer.transport.written.startswith(b"HTTP/1.1 421 ")
    (fields,) = logged.named("not_kafka")
    assert fields["why"] == "an HTTP request on the Kafka port"
    assert fields["peer"] == f"{PEER[0]}:{PEER[1]}"


def test_a_tls_hello_is_explained_in_the_log(peer: Peer, logged: Logged) -> None:
    peer.feed(b"\x16\x03\x01\x02\x00\x01")
    assert peer.is_hung_up
    assert not peer.transport.written
    (fields,) = logged.named("not_kafka")
    assert "security.protocol=PLAINTEXT" in str(fields["why"])


def test_only_the_beginning_of_a_connection_may_be_another_protocol(
    peer: Peer, logged: Logged
) -> None:
    peer.feed(produced(1) + b"GET / HTTP/1.1\r\n\r\n")
    assert peer.is_hung_up
    assert not logged.named("not_kafka")
    assert logged.named("connection_closed")[0]["reason"] == "bad_frame_size"


def test_an_exception_in_a_handler_is_an_error_response_and_the_connection_stays_open(
    brokers: Brokers, peer: Peer, logged: Logged
) -> None:
    def fails(_request: object, _call: object) -> None:
        raise RuntimeError("a mistake of ours")

    brokers.service.routes[ApiKey.FETCH] = Route(ApiKey.FETCH, range(19), fails)
    assert peer.ask(fetch(), 12, FetchResponse).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert logged.named("handler_failed")[0]["api"] == "FETCH"
    assert peer.ask(metadata(), 12, MetadataResponse).brokers


def test_an_aborted_connection_sends_nothing_more(peer: Peer) -> None:
    peer.connection.abort()
    peer.new_frames()
    peer.connection.close()
    peer.connection.abort()
    peer.connection.resume_writing()
    assert peer.transport.is_lost


def test_requests_after_the_end_get_no_response(brokers: Brokers, peer: Peer) -> None:
    brokers.ask(produce(records=batch_of(bytes(200_000))), 9, ProduceResponse)
    peer.leave()
    for data in (sized(frame_of(metadata(), 12)), sized(frame_of(fetch(), 12))):
        room = peer.connection.get_buffer(-1)
        room[: len(data)] = data
        peer.connection.buffer_updated(len(data))
    assert not peer.transport.written


def test_a_response_that_completes_while_its_connection_breaks_is_lost(
    brokers: Brokers, peer: Peer
) -> None:
    peer.send(fetch(max_wait_ms=WAIT_MS), 12)
    peer.connection.abort()  # as a killed broker does; the transport reports it a moment later
    brokers.service.purgatory.touch(brokers.partition("orders"))
    assert not peer.new_frames()
    assert not brokers.service.purgatory.waiting
    assert brokers.loop.is_idle
