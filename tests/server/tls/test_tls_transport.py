"""Connections with TLS, over a transport without a socket."""

import ssl

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.server.tls.authority import process_authority
from mockbroker.server.tls.handshake_failure import INTERNAL_ERROR
from tests.support.in_process import Brokers, frame_of, read_answer, sized
from tests.support.logged import Logged
from tests.support.requests import batch_of, fetch, produce
from tests.support.tls_peer import TlsPeer, client_context, listen_with_tls

VERSIONS = sized(frame_of(ApiVersionsRequest(), 0, 1))
RECORD_BYTES = 300_000


@pytest.fixture
def brokers() -> Brokers:
    found = Brokers(topics={"orders": 1})
    listen_with_tls(found)
    return found


@pytest.fixture
def peer(brokers: Brokers) -> TlsPeer:
    found = TlsPeer(brokers)
    found.shake_hands()
    return found


def versions_in(frames: list[bytes]) -> ApiVersionsResponse:
    (frame,) = frames
    return read_answer(frame, ApiKey.API_VERSIONS, 0, ApiVersionsResponse)[1]


def test_requests_are_served_after_the_handshake(brokers: Brokers, peer: TlsPeer) -> None:
    peer.send(VERSIONS)
    assert versions_in(peer.frames()).api_keys
    assert len(brokers.listeners[1].connections) == 1


def test_before_the_handshake_there_is_no_connection(brokers: Brokers) -> None:
    TlsPeer(brokers)
    assert not brokers.listeners[1].connections


@pytest.mark.parametrize("piece_bytes", [1, 7, 1000])
def test_records_may_come_in_pieces(peer: TlsPeer, piece_bytes: int) -> None:
    peer.deliver(peer.encrypted(VERSIONS * 3), piece_bytes)
    assert len(peer.frames()) == 3


def test_large_requests_and_responses_pass(peer: TlsPeer) -> None:
    peer.send(sized(frame_of(produce("orders", records=batch_of(b"x" * RECORD_BYTES)), 7, 1)))
    (frame,) = peer.frames()
    _, stored = read_answer(frame, ApiKey.PRODUCE, 7, ProduceResponse)
    assert stored.responses[0].partition_responses[0].error_code == 0
    peer.send(sized(frame_of(fetch("orders"), 11, 2)))
    (frame,) = peer.frames()
    _, found = read_answer(frame, ApiKey.FETCH, 11, FetchResponse)
    assert len(found.responses[0].partitions[0].records or b"") > RECORD_BYTES


def test_the_end_is_announced_to_the_client(brokers: Brokers, peer: TlsPeer) -> None:
    brokers.listeners[1].connections.copy().pop().close()
    assert peer.read() == b""
    assert peer.transport.is_lost
    assert not brokers.listeners[1].connections


def test_the_end_of_the_client_closes_the_connection(brokers: Brokers, peer: TlsPeer) -> None:
    with pytest.raises(ssl.SSLWantReadError):
        peer.ssl.unwrap()
    peer.exchange()
    assert peer.transport.is_lost
    assert not brokers.listeners[1].connections


def test_a_lost_socket_ends_the_connection(brokers: Brokers, peer: TlsPeer) -> None:
    assert peer.tls.eof_received() is False
    peer.transport.vanish()
    assert not brokers.listeners[1].connections


def test_a_plaintext_client_is_told_and_refused(brokers: Brokers, logged: Logged) -> None:
    peer = TlsPeer(brokers)
    peer.deliver(VERSIONS)
    ((_, _, fields),) = logged.events
    assert fields["why"] == "not TLS: set security.protocol to SSL or SASL_SSL in the client"
    assert bytes(peer.transport.written) == INTERNAL_ERROR
    assert not peer.transport.is_lost  # as in Kafka, it closes a little later
    brokers.loop.advance(0.1)
    assert peer.transport.is_lost


def test_a_client_without_trust_sends_an_alert(brokers: Brokers, logged: Logged) -> None:
    peer = TlsPeer(brokers, ssl.create_default_context())
    with pytest.raises(ssl.SSLCertVerificationError):
        peer.shake_hands()
    peer.exchange()
    ((_, _, fields),) = logged.events
    assert "does not trust the broker's certificate" in str(fields["why"])


def test_a_required_certificate_that_is_missing_is_told_by_an_alert(
    brokers: Brokers, logged: Logged
) -> None:
    brokers.state.configs.static["listener.name.ssl.ssl.client.auth"] = "required"
    listen_with_tls(brokers)
    peer = TlsPeer(brokers)
    peer.shake_hands()  # with TLS 1.3 the client only learns it afterwards
    with pytest.raises(ssl.SSLError, match="CERTIFICATE_REQUIRED"):
        peer.read()
    ((_, _, fields),) = logged.events
    assert str(fields["why"]).startswith("the client sent no certificate")


def test_a_certificate_names_the_principal(
    brokers: Brokers, tmp_path_factory: pytest.TempPathFactory
) -> None:
    brokers.state.configs.static["listener.name.ssl.ssl.client.auth"] = "requested"
    listen_with_tls(brokers)
    issued = process_authority().issue("alice")
    file = tmp_path_factory.mktemp("certificate") / "alice.pem"
    file.write_text(issued.certificate_pem + issued.key_pem)
    context = client_context()
    context.load_cert_chain(file)
    peer = TlsPeer(brokers, context)
    peer.shake_hands()
    assert peer.tls.get_extra_info("principal") == "User:CN=alice"
    anyone = TlsPeer(brokers)
    anyone.shake_hands()
    assert anyone.tls.get_extra_info("principal", "nobody") == "nobody"


def test_a_handshake_without_an_end_is_given_up(brokers: Brokers, logged: Logged) -> None:
    peer = TlsPeer(brokers)
    # The head of a record, and never all of its handshake message.
    part = b"\x16\x03\x01\x40\x00" + b"\x01\xff\xff\xff" + b"x" * 0x3FFC
    for _ in range(20):
        peer.deliver(part)
    assert len(logged.events) == 1
    brokers.loop.advance(0.1)
    assert peer.transport.is_lost


def test_a_paused_connection_decrypts_nothing(brokers: Brokers, peer: TlsPeer) -> None:
    peer.tls.pause_reading()
    assert peer.transport.is_reading_paused
    peer.transport.is_reading_paused = False  # these bytes were on their way
    peer.deliver(peer.encrypted(VERSIONS))
    assert peer.frames() == []
    peer.transport.is_reading_paused = True
    peer.tls.resume_reading()
    assert versions_in(peer.frames()).api_keys
    assert not peer.transport.is_reading_paused


def test_a_client_that_does_not_read_pauses_the_connection(brokers: Brokers, peer: TlsPeer) -> None:
    peer.transport.client_reads = False
    for _ in range(200):
        peer.send(VERSIONS)
    stored = len(peer.transport.unread)
    peer.send(VERSIONS)
    assert len(peer.transport.unread) == stored
    peer.transport.drain()
    assert len(peer.frames()) == 201
    del brokers


def test_a_reset_of_the_cluster_ends_handshakes(brokers: Brokers) -> None:
    peer = TlsPeer(brokers)
    brokers.listeners[1].reset(brokers.service)
    brokers.loop.run()
    assert peer.transport.is_lost
