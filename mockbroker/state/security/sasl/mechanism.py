"""Server side of a SASL mechanism, and its errors (Java's `SaslServer`)."""

from typing import Final, Protocol

SASL_NAME: Final = r"(?:[\x01-\x2B\x2D-\x3C\x3E-\x7F]|=2C|=3D)+"
"""Expression for a name in a client's message, in which `,` and `=` are escaped (RFC 5801)."""


class SaslError(Exception):
    """Failed authentication whose reason clients do not get (Java's SaslException)."""


class SaslAuthenticationError(SaslError):
    """Failed authentication whose reason clients get (Kafka's SaslAuthenticationException)."""


class SaslServerFailure(Exception):  # noqa: N818 - no error of the client's
    """Message at which Kafka's server fails: it closes the connection without a response."""


class SaslServer(Protocol):
    """One authentication by a mechanism."""

    is_complete: bool
    """True once the client is authenticated."""
    authorization_id: str
    """Name of the authenticated client; empty before."""
    credential_expires_ms: int | None
    """Time at which the credential expires; None if it does not, or before the client is known."""

    def evaluate(self, response: bytes, now_ms: int) -> bytes:
        """Take a client's token, and return the next challenge.

        Raises:
            SaslError: the client is not authenticated.

        """
        ...


def clean_name(name: str) -> str:
    """Return a name that can be written: half a surrogate pair becomes `?`, as in Java's UTF-8."""
    return name.encode("utf-8", "replace").decode("utf-8")
