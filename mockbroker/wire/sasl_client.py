"""Client sides of PLAIN, SCRAM and OAUTHBEARER (RFC 4616, 5802, 7628), as Kafka's clients have."""

import json
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Generator
from dataclasses import dataclass, field
from hashlib import new as new_hash
from hashlib import pbkdf2_hmac
from hmac import compare_digest, digest
from secrets import token_urlsafe
from typing import Final

PLAIN: Final = "PLAIN"
OAUTHBEARER: Final = "OAUTHBEARER"
SCRAM_HASHES: Final = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
MECHANISMS: Final = (PLAIN, *SCRAM_HASHES, OAUTHBEARER)
_ACKNOWLEDGE_FAILURE: Final = b"\x01"
"""Message after which a broker ends a failed OAUTHBEARER with its error."""
_TOKEN_S: Final = 3600

Steps = Generator[bytes, bytes, None]
"""Messages to send; each is resumed with the broker's answer to it."""


class LoginError(Exception):
    """Failed authentication; the text has no secrets."""


@dataclass(frozen=True, slots=True)
class ClientLogin:
    """Mechanism and credentials of a client."""

    mechanism: str
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    """Of OAUTHBEARER: the token as it is sent."""

    def steps(self) -> Steps:
        """Return the messages of one authentication."""
        if self.mechanism == PLAIN:
            return _plain(self.user, self.password)
        if self.mechanism == OAUTHBEARER:
            return _oauthbearer(self.token)
        return _scram(self.user, self.password, SCRAM_HASHES[self.mechanism])


def unsecured_token(user: str, now_s: float) -> str:
    """Build the token without a signature that Kafka's unsecured login module makes."""
    claims = {"sub": user, "iat": now_s, "exp": now_s + _TOKEN_S}
    parts = ({"alg": "none"}, claims)
    return ".".join(
        [*(urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts), ""]
    )


def _plain(user: str, password: str) -> Steps:
    yield f"\0{user}\0{password}".encode()


def _oauthbearer(token: str) -> Steps:
    failure = yield f"n,,\x01auth=Bearer {token}\x01\x01".encode()
    if failure:
        yield _ACKNOWLEDGE_FAILURE
        raise LoginError("the broker refuses the token")


def _scram(user: str, password: str, hash_name: str) -> Steps:
    nonce = token_urlsafe(24)
    name = user.replace("=", "=3D").replace(",", "=2C")
    client_first = f"n={name},r={nonce}"
    server_first = (yield f"n,,{client_first}".encode()).decode(errors="replace")
    said = _attributes(server_first)
    if not said.get("r", "").startswith(nonce):
        raise LoginError("the broker does not repeat the nonce: it is no SCRAM server")
    salted = _salted(hash_name, password, said)
    client_key = digest(salted, b"Client Key", hash_name)
    unsigned = f"c=biws,r={said['r']}"
    signed = f"{client_first},{server_first},{unsigned}".encode()
    signature = digest(new_hash(hash_name, client_key).digest(), signed, hash_name)
    proof = bytes(left ^ right for left, right in zip(client_key, signature, strict=True))
    answer = yield f"{unsigned},p={b64encode(proof).decode()}".encode()
    told = _attributes(answer.decode(errors="replace")).get("v", "")
    expected = digest(digest(salted, b"Server Key", hash_name), signed, hash_name)
    if not compare_digest(told.encode(), b64encode(expected)):
        raise LoginError("the broker does not know the password: it may be another's broker")


def _salted(hash_name: str, password: str, said: dict[str, str]) -> bytes:
    try:
        salt, iterations = b64decode(said["s"], validate=True), int(said["i"])
        return pbkdf2_hmac(hash_name, password.encode(), salt, iterations)
    except (KeyError, ValueError, OverflowError):
        raise LoginError("the broker tells no salt and iterations: it is no SCRAM server") from None


def _attributes(message: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in message.split(","))
    return {name: value for name, _, value in pairs}
