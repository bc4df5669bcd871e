"""Server side of SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802; Kafka's ScramSaslServer).

The hashes are Python's; the messages are read with Kafka's expressions, which differ from the RFC:
no channel binding, and a salt may be short.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from enum import Enum, auto
from hashlib import new as new_hash
from hmac import compare_digest, digest
from typing import Final, NamedTuple

from mockbroker.state.client.scram_credential import (
    FEWEST_ITERATIONS,
    ScramCredential,
    ScramMechanism,
)
from mockbroker.state.release.security_options import ScramNonceCheck
from mockbroker.state.security.sasl.mechanism import (
    SASL_NAME,
    SaslAuthenticationError,
    SaslError,
)

MECHANISM_NAMES: Final = {
    ScramMechanism.SCRAM_SHA_256: "SCRAM-SHA-256",
    ScramMechanism.SCRAM_SHA_512: "SCRAM-SHA-512",
}
HASHES: Final = {ScramMechanism.SCRAM_SHA_256: "sha256", ScramMechanism.SCRAM_SHA_512: "sha512"}

_ALPHA: Final = "[a-zA-Z]+"
_VALUE: Final = r"[\x01-\x2B\x2D-\x7F]+"
_PRINTABLE: Final = r"[\x21-\x2B\x2D-\x7E]+"
_BASE64_CHAR: Final = "[a-zA-Z0-9/+]"
_BASE64: Final = f"(?:{_BASE64_CHAR}{{4}})*(?:{_BASE64_CHAR}{{3}}=|{_BASE64_CHAR}{{2}}==)?"
_RESERVED: Final = f"(?:m={_VALUE},)?"
_EXTENSIONS: Final = f"(?:,{_ALPHA}={_VALUE})*"
_FIRST: Final = re.compile(
    f"n,(?:a=(?P<authzid>{SASL_NAME}))?,{_RESERVED}"
    f"n=(?P<name>{SASL_NAME}),r=(?P<nonce>{_PRINTABLE})(?P<extensions>{_EXTENSIONS})"
)
_FINAL: Final = re.compile(
    f"c=(?P<channel>{_BASE64}),r=(?P<nonce>{_PRINTABLE}){_EXTENSIONS},p=(?P<proof>{_BASE64})"
)


class _ClientFirst(NamedTuple):
    """First message of a client."""

    bare: str
    """The message as both sides sign it."""
    user: str
    authorization_id: str
    nonce: str
    is_token: bool
    """True if the name is that of a delegation token."""


class _Stage(Enum):
    FIRST = auto()
    FINAL = auto()
    OVER = auto()


class ScramServer:
    """One authentication by a salted challenge and its response."""

    def __init__(
        self,
        mechanism: ScramMechanism,
        credential_of: Callable[[str], ScramCredential | None],
        new_nonce: Callable[[], str],
        *,
        nonce_check: ScramNonceCheck,
    ) -> None:
        """Take functions that return the credential of a user, or None, and the server's nonce."""
        self._nonce_check: Final = nonce_check
        self._hash: Final = HASHES[mechanism]
        self._mechanism: Final = MECHANISM_NAMES[mechanism]
        self._credential_of: Final = credential_of
        self._new_nonce: Final = new_nonce
        self._stage = _Stage.FIRST
        self._first = _ClientFirst("", "", "", "", is_token=False)
        self._server_first = ""
        self._salted_password = b""
        self._nonce = ""
        self.is_complete = False
        self.authorization_id = ""
        self.credential_expires_ms: int | None = None

    def evaluate(self, response: bytes, now_ms: int) -> bytes:
        """Answer the first or the final message of a client.

        Raises:
            SaslError: the form or the proof is wrong, or the user has no credential.

        """
        stage, self._stage = self._stage, _Stage.OVER  # unless it succeeds
        message = response.decode("utf-8", "replace")
        if stage is _Stage.FIRST:
            challenge = self._answer_first(_client_first(message))
            self._stage = _Stage.FINAL
            return challenge
        if stage is _Stage.FINAL:
            return self._answer_final(message)
        raise SaslError(f"unexpected {self._mechanism} message after the last one")

    def _answer_first(self, first: _ClientFirst) -> bytes:
        credential = None if first.is_token else self._credential_of(first.user)
        if credential is None:
            raise SaslError("Authentication failed: Invalid user credentials")
        if first.authorization_id not in ("", first.user):
            raise SaslAuthenticationError(
                "Authentication failed: Client requested an authorization id that is different"
                " from username"
            )
        if credential.iterations < FEWEST_ITERATIONS:
            raise SaslError(f"{credential.iterations} iterations are too few")
        self._first = first
        self._nonce = first.nonce + self._new_nonce()
        self._salted_password = credential.salted_password
        salt = b64encode(credential.salt).decode()
        self._server_first = f"r={self._nonce},s={salt},i={credential.iterations}"
        return self._server_first.encode()

    def _answer_final(self, message: str) -> bytes:
        final = _FINAL.fullmatch(message)
        if final is None:
            raise SaslError("invalid SCRAM client final message")
        nonce = final["nonce"]
        if not self._nonce_check.accepts(nonce, self._nonce):
            raise SaslError("Invalid client nonce in the final client message.")
        unsigned = f"c={final['channel']},r={nonce}"
        signed = f"{self._first.bare},{self._server_first},{unsigned}".encode()
        client_key = digest(self._salted_password, b"Client Key", self._hash)
        stored_key = self._digest(client_key)
        signature = digest(stored_key, signed, self._hash)
        proof = b64decode(final["proof"])
        if len(proof) != len(signature):
            raise SaslError("Invalid client credentials")
        claimed_key = bytes(left ^ right for left, right in zip(proof, signature, strict=True))
        if not compare_digest(self._digest(claimed_key), stored_key):
            raise SaslError("Invalid client credentials")
        self.authorization_id = self._first.user
        self.is_complete = True
        server_key = digest(self._salted_password, b"Server Key", self._hash)
        return b"v=" + b64encode(digest(server_key, signed, self._hash))

    def _digest(self, data: bytes) -> bytes:
        return new_hash(self._hash, data).digest()


def _client_first(message: str) -> _ClientFirst:
    first = _FIRST.fullmatch(message)
    if first is None:
        raise SaslError("invalid SCRAM client first message")
    bare = f"n={first['name']},r={first['nonce']}{first['extensions']}"
    return _ClientFirst(
        bare,
        user=first["name"].replace("=2C", ",").replace("=3D", "="),
        authorization_id=first["authzid"] or "",
        nonce=first["nonce"],
        is_token="tokenauth=true" in first["extensions"].lower().split(","),
    )
