"""Authentication by SASL (KIP-12, KIP-43, KIP-84, KIP-152, KIP-368)."""

from collections.abc import Mapping
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from tests.conformance.releases import defaults_since
from tests.conformance.sasl import (
    AUTHENTICATED,
    FAR_S,
    ITERATIONS,
    LISTENER,
    OAUTHBEARER,
    SALT,
    SCOPE,
    SCRAM,
    WITH_TOKENS,
    SaslClient,
    bearer,
    plain_token,
    salted,
    unsecured,
)
from tests.conformance.scenarios.scram_credentials import alter, deletion, upsertion
from tests.conformance.script import scenario
from tests.conformance.talk import CONTROLLER, Talk

SESSION_MS: Final = 2500
WITH_SESSIONS: Final = {**AUTHENTICATED, "connections.max.reauth.ms": str(SESSION_MS)}
EXPIRING: Final = defaults_since("2.4")
STORED: Final = defaults_since("2.8")
"""Releases whose credentials for SCRAM can be altered by a request."""
CLAIMS: Final[Mapping[str, object]] = {"sub": "alice", "exp": FAR_S, "scope": SCOPE}
TOKEN: Final = unsecured(CLAIMS)
OTHER_CLAIMS: Final[Mapping[str, Mapping[str, object]]] = {
    "scopes in one text": {**CLAIMS, "scope": " ".join(SCOPE)},
    "scopes with spaces": {**CLAIMS, "scope": [" orders", "payments ", ""]},
    "a number among scopes": {**CLAIMS, "scope": [*SCOPE, 7]},
    "no scopes": {**CLAIMS, "scope": []},
    "an issue time": {**CLAIMS, "iat": 1_000_000_000},
    "a fraction of a second": {**CLAIMS, "exp": FAR_S + 0.5},
    "a scope that is missing": {**CLAIMS, "scope": "orders"},
    "no scope": {"sub": "alice", "exp": FAR_S},
    "a number as scope": {**CLAIMS, "scope": 7},
    "the past": {**CLAIMS, "exp": 1_000_000_000},
    "issued later": {**CLAIMS, "iat": FAR_S - 1},
    "issued at its end": {**CLAIMS, "iat": FAR_S, "exp": FAR_S},
    "no end": {"sub": "alice", "scope": SCOPE},
    "a text as end": {**CLAIMS, "exp": "soon"},
    "no principal": {"exp": FAR_S, "scope": SCOPE},
    "an empty principal": {**CLAIMS, "sub": ""},
    "a number as principal": {**CLAIMS, "sub": 7},
}
OTHER_TOKENS: Final = {
    "a signature": TOKEN + "c2ln",
    "an algorithm": unsecured(CLAIMS, {"alg": "HS256"}),
    "no algorithm": unsecured(CLAIMS, {}),
    "two parts": TOKEN.rstrip("."),
    "one part": "alice",
    "an empty part": ".." + TOKEN,
    "no JSON": "YQ.YQ.",
}
OTHER_MESSAGES: Final = {
    "nothing": b"",
    "no header": f"auth=Bearer {TOKEN}\x01\x01".encode(),
    "could bind": bearer(TOKEN).replace(b"n,", b"y,", 1),
    "its own authorization id": bearer(TOKEN, authorization_id="alice"),
    "another authorization id": bearer(TOKEN, authorization_id="bob"),
    "another scheme": bearer(TOKEN).replace(b"Bearer", b"Basic"),
    "a scheme in capitals": bearer(TOKEN).replace(b"Bearer", b"BEARER"),
    "two spaces": bearer(TOKEN).replace(b"Bearer ", b"Bearer  "),
    "no token": bearer(""),
    "an extension": bearer(TOKEN)[:-1] + b"key=value\x01\x01",
    "no auth": b"n,,\x01key=value\x01\x01",
    "an acknowledgement first": b"\x01",
}


@scenario(listeners=(LISTENER,), settings=AUTHENTICATED, presets=EXPIRING)
def plain_logins(talk: Talk) -> None:
    """PLAIN by all versions, and every refusal."""
    for version in talk.versions(ApiKey.SASL_AUTHENTICATE):
        client = SaslClient(talk, f"v{version}", version=version)
        client.log_in()
        client.metadata()
    for title, token in {
        "a wrong password": plain_token("alice", "wrong"),
        "an unknown user": plain_token("mallory", "secret of alice"),
        "no user": plain_token("", "secret of alice"),
        "no password": plain_token("alice", ""),
        "an empty password": plain_token("empty", ""),
        "its own authorization id": plain_token("alice", "secret of alice", "alice"),
        "another authorization id": plain_token("alice", "secret of alice", "bob"),
        "two parts": b"alice\0secret of alice",
        "four parts": b"\0alice\0secret of alice\0",
        "five parts": b"\0alice\0secret of alice\0\0",
        "nothing": b"",
    }.items():
        client = SaslClient(talk, title)
        client.shake()
        client.token(token)
        client.metadata()


@scenario(listeners=(LISTENER,), settings=AUTHENTICATED, presets=EXPIRING)
def bare_tokens(talk: Talk) -> None:
    """Tokens without headers follow version 0 of the handshake."""
    for title, token in {
        "the right password": plain_token("alice", "secret of alice"),
        "a wrong password": plain_token("alice", "wrong"),
        "nothing": b"",
    }.items():
        client = SaslClient(talk, title)
        client.shake(version=0)
        client.bare_token(token)
    SaslClient(talk, "the right password").metadata()


@scenario(listeners=(LISTENER,), settings=AUTHENTICATED, presets=EXPIRING)
def order_of_a_login(talk: Talk) -> None:
    """Only ApiVersions once, a handshake and tokens are served before the end of a login."""
    SaslClient(talk, "metadata first").metadata()
    client = SaslClient(talk, "versions twice")
    client.versions()
    client.versions()
    client = SaslClient(talk, "versions after the handshake")
    client.shake()
    client.versions()
    client = SaslClient(talk, "metadata after the handshake")
    client.shake()
    client.metadata()
    client = SaslClient(talk, "two handshakes")
    client.shake()
    client.shake()
    client = SaslClient(talk, "an unknown mechanism")
    client.shake("GSSAPI")
    client.shake()
    for version in (0, 1):
        client = SaslClient(talk, f"a mechanism in small letters, v{version}")
        client.shake("plain", version=version)
    client = SaslClient(talk, "a token first")
    client.token(plain_token("alice", "secret of alice"))
    client = SaslClient(talk, "a large token")
    client.shake()
    client.token(bytes(600 * 1024))
    client = SaslClient(talk, "after the login")
    client.log_in()
    client.versions()
    client.token(plain_token("alice", "secret of alice"))
    client.shake()
    client.shake("GSSAPI")
    client.metadata()


@scenario(listeners=(LISTENER,), settings=AUTHENTICATED, presets=STORED)
def scram_logins(talk: Talk) -> None:
    """SCRAM-SHA-256 with credentials that were stored by requests, and every refusal."""
    for name in ("carol", "dave"):
        credential = upsertion(
            name, iterations=ITERATIONS, salt=SALT, salted_password=salted("secret of carol")
        )
        talk.ask(f"store {name}", alter(credential), 0, broker=CONTROLLER)
    talk.wait_a_moment()
    for version in talk.versions(ApiKey.SASL_AUTHENTICATE):
        client = SaslClient(talk, f"v{version}", version=version)
        client.scram("carol", "secret of carol")
        client.metadata()
    client = SaslClient(talk, "a wrong password")
    client.scram("carol", "wrong")
    client.metadata()
    SaslClient(talk, "an unknown user").scram("mallory", "secret of carol")
    for title, nonce in {
        "another nonce": "other{server}",
        "no nonce of the client": "{server}",
        "no nonce of the server": "client",
        "a nonce with a beginning": "more-client{server}",
        "a nonce with an end": "client{server}more",
        "a nonce of one's own": "other",
    }.items():
        SaslClient(talk, title).scram("carol", "secret of carol", nonce=nonce)
    for title, first in {
        "nothing": " ",
        "no header": "n=carol,r=client",
        "channel binding": "p=tls-unique,,n=carol,r=client",
        "could bind": "y,,n=carol,r=client",
        "its own authorization id": "n,a=carol,n=carol,r=client",
        "another authorization id": "n,a=dave,n=carol,r=client",
        "an extension": "n,,n=carol,r=client,key=value",
        "a token": "n,,n=carol,r=client,tokenauth=true",
        "a reserved extension": "n,,m=value,n=carol,r=client",
        "an escaped name": "n,,n=ca=3Drol,r=client",
        "an unescaped name": "n,,n=ca=rol,r=client",
    }.items():
        SaslClient(talk, title).scram("carol", "secret of carol", first=first)
    client = SaslClient(talk, "before the deletion")
    client.scram("dave", "secret of carol")
    talk.ask("delete dave", alter(deletion("dave")), 0, broker=CONTROLLER)
    talk.wait_a_moment()
    client.metadata()
    SaslClient(talk, "after the deletion").scram("dave", "secret of carol")


@scenario(listeners=(LISTENER,), settings=WITH_SESSIONS, presets=EXPIRING)
def sessions_expire(talk: Talk) -> None:
    """A client authenticates again before its session ends, with the same mechanism and user."""
    clients = {
        title: SaslClient(talk, title)
        for title in (
            "in time",
            "too early",
            "another user",
            "a wrong password",
            "another mechanism",
            "a request in between",
            "an unknown mechanism",
            "too late",
            "never",
        )
    }
    for client in clients.values():
        client.log_in()
    clients["too early"].log_in()
    clients["too early"].shake()
    talk.let_time_pass(1500)
    clients["in time"].log_in()
    clients["in time"].metadata()
    clients["another user"].log_in("bob", "secret of bob")
    clients["another user"].metadata()
    clients["a wrong password"].log_in("alice", "wrong")
    clients["a wrong password"].metadata()
    clients["another mechanism"].shake(SCRAM)
    clients["another mechanism"].ask(SaslAuthenticateRequest(auth_bytes=b"n,,n=alice,r=client"), 1)
    clients["a request in between"].shake()
    clients["a request in between"].metadata()
    clients["an unknown mechanism"].shake("GSSAPI")
    talk.let_time_pass(1500)
    clients["in time"].metadata()
    clients["never"].metadata()
    clients["too late"].log_in()
    clients["too late"].metadata()
    talk.let_time_pass(1500)
    clients["in time"].metadata()


@scenario(listeners=(LISTENER,), settings=WITH_TOKENS, presets=EXPIRING)
def unsecured_tokens(talk: Talk) -> None:
    """Tokens without a signature, and every refusal, which the client has to acknowledge."""
    client = SaslClient(talk, "a token")
    client.shake(OAUTHBEARER)
    client.token(bearer(TOKEN))
    client.metadata()
    for title, claims in OTHER_CLAIMS.items():
        _present(talk, title, bearer(unsecured(claims)))
    for title, token in OTHER_TOKENS.items():
        _present(talk, title, bearer(token))
    for title, message in OTHER_MESSAGES.items():
        _present(talk, title, message)
    client = SaslClient(talk, "another token after an error")
    client.shake(OAUTHBEARER)
    client.token(bearer(unsecured({})))
    client.token(bearer(TOKEN))
    client.metadata()


def _present(talk: Talk, title: str, message: bytes) -> None:
    """Present a token, and acknowledge its refusal."""
    client = SaslClient(talk, title)
    client.shake(OAUTHBEARER)
    client.token(message)
    client.token(b"\x01")
