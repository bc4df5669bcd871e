"""Clients are served in turns, whatever one of them sends."""

import pytest

from mockbroker.broker.slices.steps import ELEMENTS_MAX
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from mockbroker.protocol.messages.describe_groups import (
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.server.connection import RECEIVE_BYTES, SLICE_STEPS
from tests.support.in_process import (
    SIZE,
    Brokers,
    Peer,
    frame_of,
    frames_in,
    read_answer,
    sized,
)
from tests.support.logged import Logged
from tests.support.requests import fetch, metadata, produce

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


@pytest.mark.parametrize("is_fast", [True, False])
def test_another_client_is_served_before_all_that_one_has_sent(
    brokers: Brokers, peer: Peer, is_fast: bool
) -> None:
    request = produced(1) if is_fast else sized(frame_of(metadata(), 12, 1))
    count = RECEIVE_BYTES // len(request)
    peer.feed(request * count)
    other = brokers.connect()
    other.send(metadata(), 12)
    assert len(frames_in(other.transport.written)) == 1
    least = len(request) if is_fast else 2048
    assert 0 < len(frames_in(peer.transport.written)) <= 1 + SLICE_STEPS // least
    assert peer.transport.is_reading_paused
    assert len(peer.new_frames()) == count
    assert not peer.transport.is_reading_paused
    assert brokers.loop.is_idle


def test_requests_that_wait_for_their_slice_keep_their_order(peer: Peer) -> None:
    peer.feed(produced(4000))
    assert offsets_answered(peer.new_frames()) == [(n + 1, n) for n in range(4000)]


def test_bytes_that_arrive_between_slices_wait(brokers: Brokers, peer: Peer) -> None:
    peer.feed(sized(frame_of(metadata(), 12, 1)) * 1000)
    data = sized(frame_of(metadata(), 12, 2))  # a toxic delivers while reading is paused
    peer.connection.get_buffer(-1)[: len(data)] = data
    peer.connection.buffer_updated(len(data))
    assert len(frames_in(peer.transport.written)) < 1000
    assert len(peer.new_frames()) == 1001


def test_a_client_that_leaves_between_slices_is_served_no_more(
    brokers: Brokers, peer: Peer
) -> None:
    peer.feed(sized(frame_of(metadata(), 12, 1)) * 1000)
    served = len(frames_in(peer.transport.written))
    peer.leave()
    assert len(frames_in(peer.transport.written)) == served
    assert brokers.loop.is_idle


def test_a_delayed_response_ends_a_slice(brokers: Brokers, peer: Peer) -> None:
    wait = sized(frame_of(fetch(max_wait_ms=WAIT_MS), 12, 2))
    asked = sized(frame_of(metadata(), 12, 1))
    peer.feed(asked * 1000 + wait + asked * 1000)
    assert len(peer.new_frames()) == 1000
    brokers.pass_time(WAIT_MS)
    assert len(peer.new_frames()) == 1001


def described(count: int, correlation_id: int = 1) -> bytes:
    """Ask for many groups, which do not exist."""
    request = DescribeGroupsRequest(groups=[f"group-{n}" for n in range(count)])
    return sized(frame_of(request, 6, correlation_id))


def test_others_are_served_between_the_slices_of_a_large_request(
    brokers: Brokers, peer: Peer
) -> None:
    peer.feed(described(5000))
    other = brokers.connect()
    for _ in range(10):
        brokers.loop.run_once()
        other.send(metadata(), 12)
    assert len(frames_in(other.transport.written)) == 10
    assert not peer.transport.written
    (frame,) = peer.new_frames()
    _, answer = read_answer(frame, ApiKey.DESCRIBE_GROUPS, 6, DescribeGroupsResponse)
    assert [group.group_id for group in answer.groups] == [f"group-{n}" for n in range(5000)]
    assert brokers.loop.is_idle


def test_requests_after_a_large_one_wait_for_it(brokers: Brokers, peer: Peer) -> None:
    asked = sized(frame_of(metadata(), 12, 2))
    peer.feed(sized(frame_of(metadata(), 12, 7)) + described(2000) + asked)
    assert len(frames_in(peer.transport.written)) == 1
    peer.feed(asked + described(20_000, 3) + asked)
    assert [SIZE.unpack_from(frame)[0] for frame in peer.new_frames()] == [7, 1, 2, 2, 3, 2]
    assert brokers.loop.is_idle


def test_a_large_request_whose_client_leaves_is_handled_without_it(
    brokers: Brokers, peer: Peer
) -> None:
    names = [
        CreatableTopic(name=f"new-{n}", num_partitions=1, replication_factor=1) for n in range(200)
    ]
    request = CreateTopicsRequest(topics=names, timeout_ms=1000)
    peer.feed(sized(frame_of(request, 7)))
    brokers.loop.run_once()
    peer.leave()
    assert not peer.transport.written
    assert len(brokers.state.topics.by_name) == 201


def test_a_large_request_that_is_refused_ends_the_connection(peer: Peer, logged: Logged) -> None:
    peer.feed(described(5000)[:-100] + bytes([200]) * 100)
    assert not peer.new_frames()
    assert peer.is_hung_up
    (fields,) = logged.named("connection_closed")
    assert fields["reason"] == "undecodable_request"


def test_more_elements_than_the_limit_end_the_connection(peer: Peer, logged: Logged) -> None:
    peer.feed(described(ELEMENTS_MAX + 1))
    assert not peer.new_frames()
    assert peer.is_hung_up
    (fields,) = logged.named("connection_closed")
    assert fields["reason"] == "too_many_elements"
