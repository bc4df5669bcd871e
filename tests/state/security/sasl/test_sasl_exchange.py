"""A connection's authentication: its order, its sessions, and authenticating again."""

import pytest

from mockbroker.state.security.sasl.mechanism import (
    SaslAuthenticationError,
    SaslError,
    SaslServer,
)
from mockbroker.state.security.sasl.plain_server import PlainServer
from mockbroker.state.security.sasl.sasl_exchange import (
    REAUTHENTICATION_INTERVAL_MS,
    Challenge,
    SaslExchange,
    SaslSettings,
    SaslState,
)

NOW_MS = 1_000_000
SESSION_MS = 60_000
ALICE, BOB = b"\0alice\0a", b"\0bob\0b"


class TwoSteps:
    """A mechanism whose client speaks twice, and whose credential expires."""

    def __init__(self) -> None:
        self.is_complete = False
        self.authorization_id = ""
        self.credential_expires_ms: int | None = None
        self._tokens = 0

    def evaluate(self, response: bytes, now_ms: int) -> bytes:
        if not response:
            raise SaslError("a secret reason")
        self._tokens += 1
        if self._tokens > 1:
            self.is_complete = True
            self.authorization_id = response.decode()
            self.credential_expires_ms = now_ms + 10_000
        return b"more"


def plain() -> SaslServer:
    return PlainServer({"alice": "a", "bob": "b"})


def exchange(session_max_ms: int = 0) -> SaslExchange:
    servers = {"PLAIN": plain, "TWO": TwoSteps}
    return SaslExchange(SaslSettings(servers, {"PLAIN": session_max_ms, "TWO": session_max_ms}))


def logged_in(session_max_ms: int = 0) -> SaslExchange:
    found = exchange(session_max_ms)
    assert found.handshake("PLAIN", 1)
    found.token(ALICE, NOW_MS)
    return found


def test_versions_are_served_once_before_the_handshake() -> None:
    found = exchange()
    assert found.expects_versions
    found.versions_were_sent()
    assert not found.expects_versions
    assert found.expects_handshake


def test_a_token_follows_the_handshake() -> None:
    found = exchange()
    assert not found.expects_token
    assert found.handshake("PLAIN", 1)
    assert found.expects_token
    assert not found.expects_handshake
    assert found.token(ALICE, NOW_MS) == Challenge(b"", 0)
    assert found.is_complete
    assert found.user == "alice"
    assert found.session_expires_ms is None


@pytest.mark.parametrize(("version", "is_bare"), [(0, True), (1, False)])
def test_tokens_have_headers_from_version_1_on(version: int, is_bare: bool) -> None:
    found = exchange()
    found.handshake("PLAIN", version)
    assert found.expects_bare_token is is_bare


def test_a_mechanism_may_need_several_tokens() -> None:
    found = exchange()
    found.handshake("TWO", 1)
    assert found.token(b"x", NOW_MS) == Challenge(b"more", 0)
    assert not found.is_complete
    assert found.token(b"carol", NOW_MS) == Challenge(b"more", 10_000)
    assert found.user == "carol"


def test_an_unknown_mechanism_fails() -> None:
    found = exchange()
    assert not found.handshake("GSSAPI", 1)
    assert found.state is SaslState.FAILED


def test_a_wrong_token_fails_with_its_reason() -> None:
    found = exchange()
    found.handshake("PLAIN", 1)
    with pytest.raises(SaslAuthenticationError, match="Invalid username or password"):
        found.token(b"\0alice\0wrong", NOW_MS)
    assert found.state is SaslState.FAILED


def test_a_secret_reason_is_not_told() -> None:
    found = exchange()
    found.handshake("TWO", 1)
    with pytest.raises(SaslAuthenticationError) as refused:
        found.token(b"", NOW_MS)
    assert str(refused.value) == (
        "Authentication failed during authentication due to invalid credentials with SASL"
        " mechanism TWO"
    )


@pytest.mark.parametrize(
    ("session_max_ms", "lifetime_ms"), [(0, 10_000), (4_000, 4_000), (SESSION_MS, 10_000)]
)
def test_a_session_ends_with_the_credential_or_before(
    session_max_ms: int, lifetime_ms: int
) -> None:
    found = exchange(session_max_ms)
    found.handshake("TWO", 1)
    found.token(b"x", NOW_MS)
    assert found.token(b"carol", NOW_MS).session_lifetime_ms == lifetime_ms
    assert found.session_expires_ms == NOW_MS + lifetime_ms


def test_a_session_is_expired_after_its_last_millisecond() -> None:
    found = logged_in(SESSION_MS)
    assert not found.is_expired(NOW_MS + SESSION_MS)
    assert found.is_expired(NOW_MS + SESSION_MS + 1)


def test_without_a_limit_a_client_does_not_authenticate_again() -> None:
    assert not logged_in().may_begin_again(NOW_MS)


def test_a_client_authenticates_again_at_most_once_a_second() -> None:
    found = logged_in(SESSION_MS)
    assert found.may_begin_again(NOW_MS)
    found.handshake("PLAIN", 1)
    found.token(ALICE, NOW_MS)
    assert not found.may_begin_again(NOW_MS + REAUTHENTICATION_INTERVAL_MS - 1)
    assert found.may_begin_again(NOW_MS + REAUTHENTICATION_INTERVAL_MS)


def test_authenticating_again_prolongs_the_session() -> None:
    found = logged_in(SESSION_MS)
    later_ms = NOW_MS + 30_000
    assert found.may_begin_again(later_ms)
    found.handshake("PLAIN", 1)
    assert found.token(ALICE, later_ms).session_lifetime_ms == SESSION_MS
    assert found.session_expires_ms == later_ms + SESSION_MS


def test_the_user_stays_the_same() -> None:
    found = logged_in(SESSION_MS)
    found.may_begin_again(NOW_MS)
    found.handshake("PLAIN", 1)
    with pytest.raises(SaslAuthenticationError, match=r"from User\.alice: User\.bob"):
        found.token(BOB, NOW_MS)
    assert found.user == "alice"


def test_the_mechanism_stays_the_same() -> None:
    found = logged_in(SESSION_MS)
    found.may_begin_again(NOW_MS)
    assert found.handshake("TWO", 1)
    assert found.state is SaslState.BAD_MECHANISM
    assert not found.expects_token
    assert not found.expects_handshake
