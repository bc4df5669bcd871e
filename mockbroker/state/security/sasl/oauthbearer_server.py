"""Server side of OAUTHBEARER (RFC 7628, KIP-255; Kafka's OAuthBearerSaslServer)."""

import json
import re
from base64 import urlsafe_b64decode
from binascii import Error
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from mockbroker.state.security.sasl.mechanism import (
    SASL_NAME,
    SaslAuthenticationError,
    SaslError,
    SaslServerFailure,
)

OAUTHBEARER: Final = "OAUTHBEARER"

_SEPARATOR: Final = "\x01"
_VALUE: Final = r"[\x21-\x7E \t\r\n]+"
_FIRST: Final = re.compile(
    f"n,(?:a=(?P<authzid>{SASL_NAME}))?,{_SEPARATOR}"
    f"(?P<pairs>(?:[A-Za-z]+={_VALUE}{_SEPARATOR})*){_SEPARATOR}"
)
_BEARER: Final = re.compile(r"(?P<scheme>\w+) +(?P<token>[-_.a-zA-Z0-9]+)", re.ASCII)
_ACKNOWLEDGED: Final = b"\x01"


class BearerToken(NamedTuple):
    """What a valid token says."""

    principal: str
    expires_ms: int


class InvalidTokenError(Exception):
    """Token that is not valid, with the status and the scope that the client gets."""

    def __init__(self, status: str = "invalid_token", scope: str | None = None) -> None:
        """Take the status, and the scope that the token would need."""
        super().__init__(status)
        self.status = status
        self.scope = scope


ValidateToken: TypeAlias = Callable[[str, int], BearerToken]
"""Function that checks a token at a time, or raises InvalidTokenError."""


class OAuthBearerServer:
    """One authentication by a token."""

    def __init__(self, validate: ValidateToken) -> None:
        """Take the function that checks tokens."""
        self._validate: Final = validate
        self._error = ""
        """The error that the client was told, and has to acknowledge."""
        self.is_complete = False
        self.authorization_id = ""
        self.credential_expires_ms: int | None = None

    def evaluate(self, response: bytes, now_ms: int) -> bytes:
        """Check a client's token; a client whose token is not valid is told why, and asked again.

        Raises:
            SaslError: the form is wrong, or the client has acknowledged an error.

        """
        if response == _ACKNOWLEDGED and self._error:
            raise SaslAuthenticationError(self._error)
        self._error = ""
        text, authorization_id = _client_first(response.decode("utf-8", "replace"))
        try:
            token = self._validate(text, now_ms)
        except InvalidTokenError as error:
            scope = "" if error.scope is None else f', "scope":"{error.scope}"'
            self._error = f'{{"status":"{error.status}"{scope}}}'
            return self._error.encode()
        if authorization_id not in ("", token.principal):
            raise SaslAuthenticationError(
                "Authentication failed: Client requested an authorization id"
                f" ({authorization_id}) that is different from the token's principal name"
                f" ({token.principal})"
            )
        self.authorization_id = token.principal
        self.credential_expires_ms = token.expires_ms
        self.is_complete = True
        return b""


def _client_first(message: str) -> tuple[str, str]:
    """Read the token and the authorization id from a client's message."""
    found = _FIRST.fullmatch(message)
    if found is None:
        raise SaslError("Invalid OAUTHBEARER client first message")
    pairs = (pair.partition("=") for pair in found["pairs"].split(_SEPARATOR) if pair)
    properties = {key: value for key, _, value in pairs}
    bearer = _BEARER.fullmatch(properties.get("auth", ""))
    if bearer is None:
        raise SaslError("Invalid OAUTHBEARER client first message: invalid 'auth'")
    if bearer["scheme"].lower() != "bearer":
        raise SaslServerFailure("its message about another scheme has no place for the scheme")
    return bearer["token"], found["authzid"] or ""


def json_object(part: str, *, names_may_repeat: bool) -> dict[str, Any]:
    """Read a part of a token.

    Raises:
        InvalidTokenError: it is no JSON object, or has a name twice that may not be.

    """
    try:
        text = urlsafe_b64decode(part + "=" * (-len(part) % 4))
        value = json.loads(text, object_pairs_hook=None if names_may_repeat else _without_repeats)
    except (Error, ValueError, RecursionError):
        raise InvalidTokenError from None
    if not isinstance(value, dict):
        raise InvalidTokenError
    return value


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice")
    return found
