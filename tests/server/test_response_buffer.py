"""Responses that are written together, and large ones that are not copied."""

import pytest

from mockbroker.broker.outcomes import JOIN_BELOW_BYTES
from mockbroker.server.response_buffer import FLUSH_ABOVE_BYTES, ResponseBuffer
from tests.support.in_process import Brokers, Peer


@pytest.fixture
def peer() -> Peer:
    return Brokers().connect()


def test_small_responses_are_written_as_one(peer: Peer) -> None:
    buffer = ResponseBuffer(peer.connection)
    buffer.small_responses.append(b"a")
    buffer.add([b"b", b"c"])
    assert not peer.transport.written
    buffer.flush()
    assert peer.transport.written == b"abc"
    buffer.flush()
    assert peer.transport.written == b"abc"


def test_a_large_part_is_written_after_what_came_before(peer: Peer) -> None:
    buffer = ResponseBuffer(peer.connection)
    buffer.small_responses.append(b"a")
    large = bytes(JOIN_BELOW_BYTES)
    buffer.add([large])
    assert peer.transport.written == b"a" + large


def test_many_small_responses_are_written_before_the_end(peer: Peer) -> None:
    buffer = ResponseBuffer(peer.connection)
    part = bytes(JOIN_BELOW_BYTES - 1)
    count = FLUSH_ABOVE_BYTES // len(part) + 1
    for _ in range(count):
        buffer.add([part])
    assert len(peer.transport.written) == count * len(part)


def test_nothing_is_written_to_a_lost_connection(peer: Peer) -> None:
    buffer = ResponseBuffer(peer.connection)
    peer.leave()
    buffer.small_responses.append(b"a")
    buffer.add([bytes(JOIN_BELOW_BYTES)])
    buffer.flush()
    assert not peer.transport.written
