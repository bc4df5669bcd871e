"""Clients that authenticate by SASL on a listener of the recorded clusters."""

import json
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Mapping
from hashlib import pbkdf2_hmac, sha256
from hmac import digest
from typing import Final

from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.metadata import MetadataRequest
from mockbroker.protocol.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from mockbroker.protocol.messages.sasl_handshake import SaslHandshakeRequest
from mockbroker.protocol.schema.message import Message
from tests.conformance.talk import Talk
from tests.conformance.wire import SIZE, Answer, Nothing

LISTENER: Final = "SASL_PLAINTEXT"
PLAIN: Final = "PLAIN"
SCRAM: Final = "SCRAM-SHA-256"
OAUTHBEARER: Final = "OAUTHBEARER"
FAR_S: Final = 4_102_444_800
"""The year 2100, in seconds: tokens of recordings end then."""
ITERATIONS: Final = 4096
SALT: Final = b"salt-of-a-user"
_OWN: Final = f"listener.name.{LISTENER.lower()}."
_PACKAGE: Final = "org.apache.kafka.common.security"
AUTHENTICATED: Final = {
    "connection.failed.authentication.delay.ms": "0",
    _OWN + "sasl.enabled.mechanisms": f"{PLAIN},{SCRAM}",
    _OWN + "plain.sasl.jaas.config": (
        f"{_PACKAGE}.plain.PlainLoginModule required"
        ' user_alice="secret of alice" user_bob="secret of bob" user_empty="";'
    ),
    _OWN + "scram-sha-256.sasl.jaas.config": f"{_PACKAGE}.scram.ScramLoginModule required;",
}
"""Configs of a listener whose clients authenticate; those who fail do not wait."""

WITH_TOKENS: Final = {
    "connection.failed.authentication.delay.ms": "0",
    "connections.max.reauth.ms": "3600000",
    _OWN + "sasl.enabled.mechanisms": OAUTHBEARER,
    _OWN + "oauthbearer.sasl.jaas.config": (
        f"{_PACKAGE}.oauthbearer.OAuthBearerLoginModule required"
        ' unsecuredLoginStringClaim_sub="broker"'
        ' unsecuredValidatorRequiredScope="orders payments";'
    ),
}
"""Configs of a listener whose clients have tokens without a signature."""
SCOPE: Final = ("orders", "payments", "more")


def bearer(token: str, *, authorization_id: str = "") -> bytes:
    """Return the message of a client with a token."""
    name = f"a={authorization_id}" if authorization_id else ""
    return f"n,{name},\x01auth=Bearer {token}\x01\x01".encode()


def unsecured(claims: Mapping[str, object], header: Mapping[str, object] | None = None) -> str:
    """Return a token without a signature."""
    parts = ({"alg": "none"} if header is None else header, claims)
    return "".join(_base64url(json.dumps(each)) + "." for each in parts)


def _base64url(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def plain_token(user: str, password: str, authorization_id: str = "") -> bytes:
    """Return the token of PLAIN."""
    return f"{authorization_id}\0{user}\0{password}".encode()


def salted(password: str) -> bytes:
    """Return the salted password that a credential of SCRAM-SHA-256 consists of."""
    return pbkdf2_hmac("sha256", password.encode(), SALT, ITERATIONS)


class SaslClient:
    """A connection to the listener; its steps begin with its name."""

    def __init__(self, talk: Talk, name: str, *, version: int = 1) -> None:
        """Connect; `version` is that of SaslAuthenticate."""
        self._talk = talk
        self._name = name
        self._connection = f"{LISTENER}/{name}"
        self._version = version

    def ask(self, request: Message, version: int, title: str = "") -> Answer:
        """Send a request, and record the response as a step."""
        name = f"{self._name}: {title}" if title else self._name
        return self._talk.ask(name, request, version, connection=self._connection)

    def shake(self, mechanism: str = PLAIN, *, version: int = 1) -> Answer:
        """Choose a mechanism."""
        return self.ask(SaslHandshakeRequest(mechanism=mechanism), version, mechanism)

    def token(self, token: bytes) -> Answer:
        """Send a token of a mechanism."""
        return self.ask(SaslAuthenticateRequest(auth_bytes=token), self._version)

    def log_in(self, user: str = "alice", password: str = "secret of alice") -> None:
        """Authenticate by PLAIN."""
        self.shake()
        self.token(plain_token(user, password))

    def metadata(self) -> Answer:
        """Ask for no topics, which only an authenticated client may."""
        return self.ask(MetadataRequest(topics=[]), 4)

    def bare_token(self, token: bytes) -> None:
        """Send a token without a header, and record the token or the end that it is answered by."""
        connection = self._talk.connection(1, self._connection)
        connection.send_bytes(SIZE.pack(len(token)) + token)
        frame = connection.receive_frame(5)
        shown = frame.value if isinstance(frame, Nothing) else f"token of {len(frame)} bytes"
        self._talk.note(self._name, f"{len(token)} bytes without a header", shown)

    def versions(self) -> None:
        """Ask for the versions, and record whether that is served."""
        request = ApiVersionsRequest(client_software_name="c", client_software_version="1")
        pending = self._talk.begin(
            f"{self._name}: versions", request, 0, connection=self._connection
        )
        answer = self._talk.receive(pending)
        if isinstance(answer, ApiVersionsResponse):
            answer.api_keys = []
        self._talk.record(pending, answer)

    def scram(
        self, user: str, password: str, *, first: str = "", nonce: str = "client{server}"
    ) -> None:
        """Authenticate by SCRAM-SHA-256; the steps show the form of the server's messages.

        `first` replaces the first message, and `nonce` is that of the final one, with the part that
        the server added.
        """
        self.shake(SCRAM)
        bare = f"n={user},r=client"
        server_first = self._scram_step("first", (first or f"n,,{bare}").encode())
        if server_first is None:
            return
        fields = dict(each.split("=", 1) for each in server_first.split(","))
        final_nonce = nonce.format(server=fields["r"].removeprefix("client"))
        unsigned = f"c=biws,r={final_nonce}"
        signed = f"{bare},{server_first},{unsigned}".encode()
        salt, iterations = b64decode(fields["s"]), int(fields["i"])
        key = digest(
            pbkdf2_hmac("sha256", password.encode(), salt, iterations), b"Client Key", "sha256"
        )
        signature = digest(sha256(key).digest(), signed, "sha256")
        proof = bytes(left ^ right for left, right in zip(key, signature, strict=True))
        self._scram_step("final", f"{unsigned},p={b64encode(proof).decode()}".encode())

    def _scram_step(self, title: str, token: bytes) -> str | None:
        """Send a message, record what does not vary of the server's, and return all of it."""
        talk = self._talk
        pending = talk.begin(
            f"{self._name}: {title}",
            SaslAuthenticateRequest(auth_bytes=token),
            self._version,
            connection=self._connection,
        )
        answer = talk.receive(pending)
        message = ""
        if isinstance(answer, SaslAuthenticateResponse):
            message = answer.auth_bytes.decode()
            answer.auth_bytes = _without_randomness(message).encode()
        talk.record(pending, answer)
        return message or None


def _without_randomness(message: str) -> str:
    """Show a server's message without its nonce and what is made of it."""
    shown = {"r": "(nonce)", "v": "(signature)"}
    fields = (each.split("=", 1) for each in message.split(",") if each)
    return ",".join(f"{name}={shown.get(name, value)}" for name, value in fields)
