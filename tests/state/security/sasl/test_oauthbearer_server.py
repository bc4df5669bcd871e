"""OAUTHBEARER reads a token, and has a client acknowledge why it is not valid."""

import pytest

from mockbroker.state.security.sasl.mechanism import (
    SaslAuthenticationError,
    SaslError,
    SaslServerFailure,
)
from mockbroker.state.security.sasl.oauthbearer_server import (
    BearerToken,
    InvalidTokenError,
    OAuthBearerServer,
)


def server() -> OAuthBearerServer:
    def validate(token: str, now_ms: int) -> BearerToken:
        if token == "narrow":
            raise InvalidTokenError("insufficient_scope", "[a, b]")
        if token != "good":
            raise InvalidTokenError
        return BearerToken("alice", now_ms + 5)

    return OAuthBearerServer(validate)


def test_a_valid_token_authenticates_until_it_ends() -> None:
    authentication = server()
    assert authentication.evaluate(b"n,a=alice,\x01auth=Bearer good\x01\x01", 7) == b""
    assert authentication.is_complete
    assert authentication.authorization_id == "alice"
    assert authentication.credential_expires_ms == 12


@pytest.mark.parametrize(
    ("token", "error"),
    [
        ("bad", '{"status":"invalid_token"}'),
        ("narrow", '{"status":"insufficient_scope", "scope":"[a, b]"}'),
    ],
)
def test_an_invalid_token_is_told_and_has_to_be_acknowledged(token: str, error: str) -> None:
    authentication = server()
    assert (
        authentication.evaluate(f"n,,\x01auth=Bearer {token}\x01\x01".encode(), 0) == error.encode()
    )
    assert not authentication.is_complete
    with pytest.raises(SaslAuthenticationError) as refused:
        authentication.evaluate(b"\x01", 0)
    assert str(refused.value) == error


def test_another_token_may_follow_an_error() -> None:
    authentication = server()
    authentication.evaluate(b"n,,\x01auth=Bearer bad\x01\x01", 0)
    authentication.evaluate(b"n,,\x01auth=Bearer good\x01key=value\x01\x01", 0)
    assert authentication.is_complete


@pytest.mark.parametrize(
    ("message", "failure"),
    [
        (b"", SaslError),
        (b"\x01", SaslError),
        (b"n,,\x01key=value\x01\x01", SaslError),
        (b"n,,\x01auth=good\x01\x01", SaslError),
        (b"n,a=bob,\x01auth=Bearer good\x01\x01", SaslAuthenticationError),
        (b"n,,\x01auth=Basic good\x01\x01", SaslServerFailure),
    ],
)
def test_other_messages_end_the_authentication(message: bytes, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        server().evaluate(message, 0)
