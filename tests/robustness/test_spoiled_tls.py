"""Corrupted handshakes and records of TLS end one connection, and harm no other."""

import ssl
from random import Random
from typing import Final

import pytest

from mockbroker.protocol.messages.api_versions import ApiVersionsRequest
from tests.robustness.spoiling import spoiled
from tests.support.in_process import Brokers, frame_of, sized
from tests.support.logged import Logged
from tests.support.tls_peer import TlsPeer, listen_with_tls

HANDSHAKES: Final = 3000
RECORDS: Final = 3000
DELAY_S: Final = 0.1
VERSIONS: Final = sized(frame_of(ApiVersionsRequest(), 0, 1))

pytestmark = pytest.mark.slow


@pytest.fixture
def brokers() -> Brokers:
    found = Brokers(topics={"orders": 1})
    listen_with_tls(found)
    return found


def assert_serves(brokers: Brokers) -> None:
    peer = TlsPeer(brokers)
    peer.shake_hands()
    peer.send(VERSIONS)
    assert len(peer.frames()) == 1
    peer.transport.vanish()


def leave(brokers: Brokers, peer: TlsPeer) -> None:
    """Let a refused connection close, or close it as a client does that has lost patience."""
    brokers.loop.advance(DELAY_S)
    if not peer.transport.is_lost:
        peer.transport.vanish()
    assert not brokers.listeners[1].connections
    assert not peer.handshaking
    assert brokers.loop.is_idle


@pytest.mark.parametrize("part", range(2))
def test_corrupted_handshakes_end_one_connection(
    brokers: Brokers, logged: Logged, part: int
) -> None:
    random = Random(part)
    for _ in range(HANDSHAKES):
        peer = TlsPeer(brokers)
        flight = spoiled(peer.flight(), random)
        peer.deliver(flight, random.choice([1, 16, 1 << 18]))
        leave(brokers, peer)
    assert {each.event for each in logged.events} == {"tls_failed"}
    assert all(each.fields["why"] for each in logged.events)
    assert_serves(brokers)


@pytest.mark.parametrize("part", range(2))
def test_corrupted_records_end_one_connection(brokers: Brokers, logged: Logged, part: int) -> None:
    random = Random(part)
    ended = 0
    for _ in range(RECORDS):
        peer = TlsPeer(brokers)
        peer.shake_hands()
        peer.deliver(spoiled(peer.encrypted(VERSIONS), random), random.choice([1, 16, 1 << 18]))
        try:
            peer.read()
        except ssl.SSLWantReadError:
            pass  # the record has no end
        except ssl.SSLError:
            ended += 1
        leave(brokers, peer)
    assert ended > RECORDS / 4
    assert {each.event for each in logged.events} == {"tls_failed"}
    assert_serves(brokers)
