"""PLAIN checks a user and a password."""

import pytest

from mockbroker.state.security.sasl.mechanism import SaslAuthenticationError
from mockbroker.state.security.sasl.plain_server import PlainServer


def server() -> PlainServer:
    return PlainServer({"alice": "secret", "ütf": "pässword"})


@pytest.mark.parametrize(
    ("token", "user"),
    [
        ("\0alice\0secret", "alice"),
        ("alice\0alice\0secret", "alice"),
        ("\0ütf\0pässword", "ütf"),
    ],
)
def test_the_right_password_authenticates(token: str, user: str) -> None:
    authentication = server()
    assert authentication.evaluate(token.encode(), 0) == b""
    assert authentication.is_complete
    assert authentication.authorization_id == user


@pytest.mark.parametrize(
    ("token", "why"),
    [
        (b"", "expected 3 tokens, got 1"),
        (b"alice\0secret", "expected 3 tokens, got 2"),
        (b"\0alice\0secret\0", "expected 3 tokens, got 4"),
        (b"\0\0secret", "username not specified"),
        (b"\0alice\0", "password not specified"),
        (b"\0alice\0wrong", "Invalid username or password"),
        (b"\0mallory\0secret", "Invalid username or password"),
        (b"\0\xff\0secret", "Invalid username or password"),
        (b"bob\0alice\0secret", "authorization id that is different"),
    ],
)
def test_everything_else_is_refused(token: bytes, why: str) -> None:
    authentication = server()
    with pytest.raises(SaslAuthenticationError, match=why):
        authentication.evaluate(token, 0)
    assert not authentication.is_complete
    assert not authentication.authorization_id
