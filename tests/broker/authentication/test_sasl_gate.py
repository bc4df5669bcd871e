"""Before the end of a client's authentication, nothing else of it is served."""

import pytest

from mockbroker.broker.authentication.sasl_gate import SaslGate
from mockbroker.broker.call import ANONYMOUS
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.protocol.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from mockbroker.protocol.messages.sasl_handshake import (
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)
from mockbroker.server.connection import RECEIVE_BYTES
from mockbroker.server.listener import ListenerSecurity
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.security.sasl.plain_server import PlainServer
from mockbroker.state.security.sasl.sasl_exchange import SaslSettings
from tests.support.in_process import SIZE, Brokers, CountingListener, Peer, sized
from tests.support.requests import metadata, produce

DELAY_MS = 100
SESSION_MS = 5000
RIGHT, WRONG = b"\0alice\0secret", b"\0alice\0wrong"
RECEIVE_MAX_BYTES = 1000


def new_gate(_cluster: ClusterState, _listener: str, _broker_id: int) -> SaslGate:
    servers = {"PLAIN": lambda: PlainServer({"alice": "secret"})}
    return SaslGate(SaslSettings(servers, {}), DELAY_MS, RECEIVE_MAX_BYTES)


def new_gate_with_sessions(_cluster: ClusterState, _listener: str, _broker_id: int) -> SaslGate:
    servers = {"PLAIN": lambda: PlainServer({"alice": "secret"})}
    return SaslGate(SaslSettings(servers, {"PLAIN": SESSION_MS}), DELAY_MS, RECEIVE_MAX_BYTES)


@pytest.fixture
def brokers() -> Brokers:
    found = Brokers(topics={"orders": 1})
    buffer = bytearray(RECEIVE_BYTES)
    security = ListenerSecurity(new_gate=new_gate)
    found.listeners[1] = CountingListener(found.service, 1, buffer, "SASL", security)
    return found


@pytest.fixture
def peer(brokers: Brokers) -> Peer:
    return brokers.connect()


def shake(peer: Peer, mechanism: str = "PLAIN", version: int = 1) -> SaslHandshakeResponse:
    return peer.ask(SaslHandshakeRequest(mechanism=mechanism), version, SaslHandshakeResponse)


def authenticate(peer: Peer, token: bytes = RIGHT) -> SaslAuthenticateResponse:
    return peer.ask(SaslAuthenticateRequest(auth_bytes=token), 1, SaslAuthenticateResponse)


def principal_of(peer: Peer) -> str:
    gate = peer.connection.request_path.gate
    assert gate is not None
    return gate.principal


def test_an_authenticated_client_is_served(peer: Peer) -> None:
    assert shake(peer).mechanisms == ["PLAIN"]
    assert principal_of(peer) == ANONYMOUS
    assert authenticate(peer).error_code == ErrorCode.NONE
    assert principal_of(peer) == "User:alice"
    assert peer.ask(metadata(), 9, MetadataResponse).brokers


def test_versions_are_served_before_the_handshake(peer: Peer) -> None:
    assert peer.ask(ApiVersionsRequest(), 0, ApiVersionsResponse).api_keys
    assert shake(peer).error_code == ErrorCode.NONE


def test_a_request_of_another_kind_closes_the_connection_after_a_delay(
    brokers: Brokers, peer: Peer
) -> None:
    peer.send(produce(), 9)
    assert not peer.is_hung_up
    brokers.pass_time(DELAY_MS)
    assert peer.is_hung_up
    assert peer.new_frames() == []
    assert brokers.log_bytes("orders") == b""


def test_requests_behind_a_refused_one_are_not_served(brokers: Brokers, peer: Peer) -> None:
    peer.send(metadata(), 9)
    peer.send(produce(), 9)
    brokers.pass_time(DELAY_MS)
    assert peer.is_hung_up
    assert brokers.log_bytes("orders") == b""


def test_a_wrong_password_is_answered_after_a_delay(brokers: Brokers, peer: Peer) -> None:
    shake(peer)
    peer.send(SaslAuthenticateRequest(auth_bytes=WRONG), 1)
    brokers.pass_time(DELAY_MS - 1)
    assert peer.new_frames() == []
    brokers.pass_time(1)
    answer = peer.receive(ApiKey.SASL_AUTHENTICATE, 1, SaslAuthenticateResponse)
    assert answer.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
    assert answer.error_message == "Authentication failed: Invalid username or password"
    assert peer.is_hung_up


def test_an_unknown_mechanism_is_answered_after_a_delay(brokers: Brokers, peer: Peer) -> None:
    peer.send(SaslHandshakeRequest(mechanism="GSSAPI"), 1)
    brokers.pass_time(DELAY_MS)
    answer = peer.receive(ApiKey.SASL_HANDSHAKE, 1, SaslHandshakeResponse)
    assert answer.error_code == ErrorCode.UNSUPPORTED_SASL_MECHANISM
    assert answer.mechanisms == ["PLAIN"]
    assert peer.is_hung_up


def test_a_request_in_the_place_of_a_token_is_refused(brokers: Brokers, peer: Peer) -> None:
    shake(peer)
    peer.send(produce(), 9)
    brokers.pass_time(DELAY_MS)
    answer = peer.receive(ApiKey.PRODUCE, 9, ProduceResponse)
    partition = answer.responses[0].partition_responses[0]
    assert partition.error_code == ErrorCode.ILLEGAL_SASL_STATE
    assert peer.is_hung_up


def test_a_token_without_a_header_is_answered_by_one(brokers: Brokers, peer: Peer) -> None:
    shake(peer, version=0)
    peer.feed(sized(RIGHT))
    assert peer.new_frames() == [b""]
    assert brokers.service.connections == {peer.connection}
    assert peer.ask(metadata(), 9, MetadataResponse).brokers


def test_a_wrong_token_without_a_header_closes_the_connection(brokers: Brokers, peer: Peer) -> None:
    shake(peer, version=0)
    peer.feed(sized(WRONG))
    assert not peer.is_hung_up
    brokers.pass_time(DELAY_MS)
    assert peer.is_hung_up
    assert peer.new_frames() == []


@pytest.mark.parametrize("is_known", [False, True])
def test_requests_before_the_authentication_are_small(peer: Peer, is_known: bool) -> None:
    if is_known:
        shake(peer)
        authenticate(peer)
    peer.feed(SIZE.pack(RECEIVE_MAX_BYTES + 1))
    assert peer.is_hung_up is not is_known


def test_records_of_an_authenticated_client_take_the_fast_path(
    brokers: Brokers, peer: Peer
) -> None:
    shake(peer)
    authenticate(peer)
    peer.ask(produce(), 9, ProduceResponse)  # the first one prepares the fast path
    peer.ask(produce(), 9, ProduceResponse)
    assert brokers.fast_answers == 1


def test_an_expired_session_ends_with_the_next_request(brokers: Brokers) -> None:
    buffer = bytearray(RECEIVE_BYTES)
    security = ListenerSecurity(new_gate=new_gate_with_sessions)
    brokers.listeners[1] = CountingListener(brokers.service, 1, buffer, "SASL", security)
    peer = brokers.connect()
    shake(peer)
    assert authenticate(peer).session_lifetime_ms == SESSION_MS
    brokers.pass_time(SESSION_MS)
    assert peer.ask(metadata(), 9, MetadataResponse).brokers
    brokers.pass_time(1)
    peer.send(produce(), 9)
    assert peer.is_hung_up
    assert brokers.log_bytes("orders") == b""
