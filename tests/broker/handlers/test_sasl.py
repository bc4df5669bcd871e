"""SASL on a listener without SASL."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from mockbroker.protocol.messages.sasl_handshake import (
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)
from tests.support.in_process import Brokers


@pytest.mark.parametrize(
    ("release", "version", "mechanisms"), [("4.4", 1, []), ("0.11", 0, ["GSSAPI"])]
)
def test_a_handshake_is_refused(release: str, version: int, mechanisms: list[str]) -> None:
    answer = Brokers(release=release).ask(
        SaslHandshakeRequest(mechanism="PLAIN"), version, SaslHandshakeResponse
    )
    assert (answer.error_code, answer.mechanisms) == (ErrorCode.ILLEGAL_SASL_STATE, mechanisms)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_an_authentication_is_refused_and_the_connection_stays_open(version: int) -> None:
    peer = Brokers().connect()
    request = SaslAuthenticateRequest(auth_bytes=b"\0alice\0secret")
    for _ in range(2):
        answer = peer.ask(request, version, SaslAuthenticateResponse)
        assert answer.error_code == ErrorCode.ILLEGAL_SASL_STATE
        assert "after successful authentication" in (answer.error_message or "")
