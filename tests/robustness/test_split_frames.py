"""Frames that arrive in any pieces, and sizes that are no sizes."""

from collections.abc import Iterator
from typing import Final

import pytest

from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.server.connection import LARGE_FRAME_BYTES, RECEIVE_BYTES
from tests.robustness.corpus import TOPIC
from tests.support.in_process import (
    NOW_MS,
    SIZE,
    Brokers,
    frame_of,
    sized,
)
from tests.support.logged import Logged
from tests.support.requests import batch_of, produce

AROUND: Final = (-1, 0, 1)
NEAR: Final = 6
SIZE_BYTES_MAX: Final = 104_857_600
"""Kafka's default of `socket.request.max.bytes`."""


@pytest.fixture
def brokers() -> Brokers:
    return Brokers(topics={TOPIC: 1})


def frame_of_size(size_bytes: int) -> bytes:
    """Give a Produce of exactly that size, behind its size."""
    rest = size_bytes
    for _ in range(8):
        frame = frame_of(produce(TOPIC, records=batch_of(b"x" * rest)), 7)
        if len(frame) == size_bytes:
            return sized(frame)
        rest += size_bytes - len(frame)
    raise AssertionError(f"no frame has {size_bytes} bytes")


def log_end_offset(brokers: Brokers) -> int:
    return brokers.state.log_of(brokers.partition(TOPIC), NOW_MS).log_end_offset


def test_a_frame_may_be_cut_at_every_byte(brokers: Brokers) -> None:
    frame = sized(frame_of(produce(TOPIC), 9))
    for cut in range(1, len(frame)):
        peer = brokers.connect()
        peer.feed(frame[:cut])
        assert not peer.new_frames()
        peer.feed(frame[cut:])
        assert len(peer.new_frames()) == 1
    assert log_end_offset(brokers) == len(frame) - 1


def test_two_frames_may_be_cut_at_every_byte(brokers: Brokers) -> None:
    frames = sized(frame_of(produce(TOPIC), 9)) * 2
    peer = brokers.connect()
    for cut in range(1, len(frames)):
        peer.feed(frames[:cut])
        peer.feed(frames[cut:])
        assert len(peer.new_frames()) == 2
    assert log_end_offset(brokers) == 2 * (len(frames) - 1)


def cuts(size_bytes: int) -> Iterator[int]:
    """Go through the places at which something could be wrong by one."""
    edges = (SIZE.size, LARGE_FRAME_BYTES, RECEIVE_BYTES, size_bytes)
    near = {edge + step for edge in edges for step in range(-NEAR, NEAR + 1)}
    return iter(sorted(cut for cut in near if 0 < cut < size_bytes))


@pytest.mark.slow
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("edge", [LARGE_FRAME_BYTES, RECEIVE_BYTES - SIZE.size, RECEIVE_BYTES])
def test_large_frames_may_be_cut_around_every_edge(
    brokers: Brokers, edge: int, around: int
) -> None:
    frame = frame_of_size(edge + around)
    small = sized(frame_of(produce(TOPIC), 7))
    peer = brokers.connect()
    count = 0
    for cut in cuts(len(frame)):
        peer.feed(frame[:cut])
        peer.feed(frame[cut:] + small)
        assert len(peer.new_frames()) == 2
        count += 2
    assert log_end_offset(brokers) == count


def test_a_large_frame_may_come_in_small_pieces(brokers: Brokers) -> None:
    peer = brokers.connect()
    frame = frame_of_size(300_000)
    for start in range(0, len(frame), 997):
        peer.feed(frame[start : start + 997])
    assert len(peer.new_frames()) == 1
    assert peer.ask(produce(TOPIC), 9, ProduceResponse).responses
    assert brokers.log_bytes(TOPIC).count(b"x" * 290_000) == 1


@pytest.mark.parametrize("size_bytes", [-1, -2_147_483_648, SIZE_BYTES_MAX + 1, 2_147_483_647])
def test_an_invalid_size_ends_the_connection(
    brokers: Brokers, size_bytes: int, logged: Logged
) -> None:
    peer = brokers.connect()
    peer.feed(SIZE.pack(size_bytes) + bytes(100))
    assert peer.is_hung_up
    (fields,) = logged.named("connection_closed")
    assert fields["reason"] == "bad_frame_size"
    assert str(size_bytes) in str(fields["why"])
    peer.new_frames()
    assert not brokers.listeners[1].connections


def test_a_size_that_is_too_small_is_detected(brokers: Brokers, logged: Logged) -> None:
    frame = frame_of(produce(TOPIC), 9)
    peer = brokers.connect()
    peer.feed(SIZE.pack(len(frame) - 1) + frame + sized(frame))
    assert peer.is_hung_up
    assert len(logged.named("connection_closed")) == 1
    assert log_end_offset(brokers) == 0


@pytest.mark.parametrize("too_many", [1, 4, 7])
def test_a_size_that_is_too_large_swallows_the_next_request(
    brokers: Brokers, too_many: int
) -> None:
    """As in Kafka, bytes after a request are ignored, so that later frames are misread."""
    frame = frame_of(produce(TOPIC), 9)
    peer = brokers.connect()
    peer.feed(SIZE.pack(len(frame) + too_many) + frame + sized(frame))
    assert log_end_offset(brokers) == 1
    assert brokers.connect().feed(sized(frame))
    assert log_end_offset(brokers) == 2
