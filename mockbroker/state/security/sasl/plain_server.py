"""Server side of PLAIN (RFC 4616; Kafka's PlainSaslServer)."""

from collections.abc import Mapping
from hmac import compare_digest
from typing import Final

from mockbroker.state.security.sasl.mechanism import SaslAuthenticationError

PLAIN: Final = "PLAIN"
_PARTS: Final = 3
_FAILED: Final = "Authentication failed: "


class PlainServer:
    """One authentication by user name and password."""

    def __init__(self, passwords: Mapping[str, str]) -> None:
        """Take the passwords by user."""
        self._passwords: Final = passwords
        self.is_complete = False
        self.authorization_id = ""
        self.credential_expires_ms: int | None = None

    def evaluate(self, response: bytes, now_ms: int) -> bytes:
        """Check `[authorization id] NUL user NUL password`.

        Raises:
            SaslAuthenticationError: the form or the password is wrong.

        """
        # As in Kafka, the search ends at the fourth part.
        parts = response.decode("utf-8", "replace").split("\0", _PARTS)
        if len(parts) != _PARTS:
            raise SaslAuthenticationError(
                f"Invalid SASL/PLAIN response: expected {_PARTS} tokens, got {len(parts)}"
            )
        authorization_id, user, password = parts
        if not user:
            raise SaslAuthenticationError(f"{_FAILED}username not specified")
        if not password:
            raise SaslAuthenticationError(f"{_FAILED}password not specified")
        expected = self._passwords.get(user)
        if expected is None or not compare_digest(expected.encode(), password.encode()):
            raise SaslAuthenticationError(f"{_FAILED}Invalid username or password")
        if authorization_id not in ("", user):
            raise SaslAuthenticationError(
                f"{_FAILED}Client requested an authorization id that is different from username"
            )
        self.authorization_id = user
        self.is_complete = True
        return b""
