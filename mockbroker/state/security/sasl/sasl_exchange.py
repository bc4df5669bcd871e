"""Authentication of one connection: what its client may send, and when it must authenticate again.

Follows Kafka's SaslServerAuthenticator and KafkaChannel (KIP-43, KIP-152, KIP-368): ApiVersions
once, SaslHandshake, then tokens until the mechanism is done. After that all requests are served
until the session expires; a SaslHandshake begins another authentication, with the same mechanism
and user.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from mockbroker.state.security.sasl.mechanism import (
    SaslAuthenticationError,
    SaslError,
    SaslServer,
    SaslServerFailure,
)

REAUTHENTICATION_INTERVAL_MS: Final = 1000
"""Least time between two further authentications of a connection."""


class SaslState(Enum):
    """Expected next request of a client."""

    HANDSHAKE_OR_VERSIONS = auto()
    HANDSHAKE = auto()
    """After ApiVersions."""
    TOKEN = auto()
    COMPLETE = auto()
    FAILED = auto()
    BAD_MECHANISM = auto()
    """The next request is refused: the mechanism differs from that of the first authentication."""


class SaslSettings(NamedTuple):
    """Mechanisms of a listener."""

    servers: Mapping[str, Callable[[], SaslServer]]
    """Function that begins an authentication, by mechanism."""
    session_max_ms: Mapping[str, int]
    """`connections.max.reauth.ms` by mechanism; 0 for no limit."""

    @property
    def mechanisms(self) -> Sequence[str]:
        """The names of the mechanisms."""
        return list(self.servers)


class Challenge(NamedTuple):
    """Result of a token that was not refused."""

    token: bytes
    session_lifetime_ms: int
    """Time until the client must authenticate again; 0 for no limit, and before the end."""


class SaslExchange:
    """Authentication of one connection."""

    def __init__(self, settings: SaslSettings) -> None:
        """Expect a handshake."""
        self._settings: Final = settings
        self.state = SaslState.HANDSHAKE_OR_VERSIONS
        self.mechanism = ""
        self.user = ""
        """Name of the authenticated client."""
        self.session_expires_ms: int | None = None
        """Time from which on only SaslHandshake is served; None for no limit."""
        self.tokens_have_headers = False
        """True if tokens come in SaslAuthenticate requests: from version 1 of the handshake on."""
        self._server: SaslServer | None = None
        self._began_again_ms: int | None = None
        """Time at which the last further authentication began."""

    @property
    def is_complete(self) -> bool:
        """True while all requests are served."""
        return self.state is SaslState.COMPLETE

    @property
    def expects_handshake(self) -> bool:
        """True if a mechanism is to be chosen for the first time."""
        return self.state in (SaslState.HANDSHAKE_OR_VERSIONS, SaslState.HANDSHAKE)

    @property
    def expects_versions(self) -> bool:
        """True if ApiVersions is served before a handshake."""
        return self.state is SaslState.HANDSHAKE_OR_VERSIONS

    @property
    def expects_token(self) -> bool:
        """True if a mechanism was chosen, and waits for a token."""
        return self.state is SaslState.TOKEN

    @property
    def expects_bare_token(self) -> bool:
        """True if the next frame is a token without a header."""
        return self.expects_token and not self.tokens_have_headers

    @property
    def is_another(self) -> bool:
        """True once the client has authenticated and begun to do it again."""
        return self._began_again_ms is not None

    def is_expired(self, now_ms: int) -> bool:
        """Return whether the session has expired."""
        return self.session_expires_ms is not None and now_ms > self.session_expires_ms

    def expire(self, now_ms: int) -> bool:
        """End the session of an authenticated client; return whether there was one."""
        if self.is_complete:
            self.session_expires_ms = now_ms - 1
        return self.is_complete

    def versions_were_sent(self) -> None:
        """Expect SaslHandshake after a response to ApiVersions without an error."""
        if self.state is SaslState.HANDSHAKE_OR_VERSIONS:
            self.state = SaslState.HANDSHAKE

    def may_begin_again(self, now_ms: int) -> bool:
        """Return whether SaslHandshake begins another authentication, and note it if it does."""
        if self.session_expires_ms is None:
            return False
        last_ms = self._began_again_ms
        if last_ms is not None and now_ms - last_ms < REAUTHENTICATION_INTERVAL_MS:
            return False
        self._began_again_ms = now_ms
        return True

    def handshake(self, mechanism: str, version: int) -> bool:
        """Choose a mechanism; return False, and fail, if it is not enabled."""
        self.tokens_have_headers = version > 0
        if mechanism not in self._settings.servers:
            self.state = SaslState.FAILED
            return False
        if self.is_another and mechanism != self.mechanism:
            self.state = SaslState.BAD_MECHANISM
            return True
        self.mechanism = mechanism
        self._server = self._settings.servers[mechanism]()
        self.state = SaslState.TOKEN
        return True

    def fail(self) -> None:
        """Serve nothing any more."""
        self.state = SaslState.FAILED
        self._server = None

    def token(self, token: bytes, now_ms: int) -> Challenge:
        """Give a token to the mechanism.

        Raises:
            SaslAuthenticationError: the client is refused, with the message that it gets.
            SaslServerFailure: the connection has to be closed.

        """
        try:
            return self._evaluated(token, now_ms)
        except (SaslAuthenticationError, SaslServerFailure):
            self.fail()
            raise
        except SaslError:
            self.fail()
            again = "re-authentication" if self.is_another else "authentication"
            raise SaslAuthenticationError(
                f"Authentication failed during {again} due to invalid credentials with SASL"
                f" mechanism {self.mechanism}"
            ) from None

    def _evaluated(self, token: bytes, now_ms: int) -> Challenge:
        assert self._server is not None
        challenge = self._server.evaluate(token, now_ms)
        if not self._server.is_complete:
            return Challenge(challenge, 0)
        user = self._server.authorization_id
        if self.is_another and user != self.user:
            raise SaslAuthenticationError(
                "Cannot change principals during re-authentication from"
                f" User.{self.user}: User.{user}"
            )
        self.user = user
        lifetime_ms = self._begin_session(self._server.credential_expires_ms, now_ms)
        self._server = None
        self.state = SaslState.COMPLETE
        return Challenge(challenge, lifetime_ms)

    def _begin_session(self, credential_expires_ms: int | None, now_ms: int) -> int:
        limits_ms: list[int] = []
        if credential_expires_ms is not None:
            limits_ms.append(credential_expires_ms - now_ms)
        session_max_ms = self._settings.session_max_ms.get(self.mechanism, 0)
        if session_max_ms > 0:
            limits_ms.append(session_max_ms)
        if not limits_ms:
            self.session_expires_ms = None
            return 0
        lifetime_ms = max(0, min(limits_ms))
        self.session_expires_ms = now_ms + lifetime_ms
        return lifetime_ms
