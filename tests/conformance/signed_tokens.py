"""Signed tokens of OAUTHBEARER (JWT), and the listener that checks them."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final
from warnings import catch_warnings

import jwt
from jwt.warnings import InsecureKeyLengthWarning

from tests.conformance.sasl import FAR_S, LISTENER, OAUTHBEARER

KEYS: Final = Path(__file__).with_name("token_keys.json")
"""JWKS with the keys of the recordings, which protect nothing; brokers read their public parts."""
ALIKE: Final = KEYS.with_name("token_keys_alike.json")
"""JWKS in which several keys fit a token; some of them are those of the first one."""
AUDIENCE: Final = "orders.example"
ISSUER: Final = "https://issuer.example"
CLAIMS: Final[Mapping[str, object]] = {
    "sub": "alice",
    "aud": AUDIENCE,
    "iss": ISSUER,
    "iat": 1_600_000_000,
    "exp": FAR_S,
}
_OWN: Final = f"listener.name.{LISTENER.lower()}."
_PACKAGE: Final = "org.apache.kafka.common.security.oauthbearer"
WITH_KEYS: Final = {
    "connection.failed.authentication.delay.ms": "0",
    "connections.max.reauth.ms": "3600000",
    _OWN + "sasl.enabled.mechanisms": OAUTHBEARER,
    _OWN + "oauthbearer.sasl.jaas.config": f"{_PACKAGE}.OAuthBearerLoginModule required;",
    _OWN + "oauthbearer.sasl.server.callback.handler.class": (
        f"{_PACKAGE}.OAuthBearerValidatorCallbackHandler"
    ),
    _OWN + "oauthbearer.sasl.oauthbearer.jwks.endpoint.url": KEYS.as_uri(),
}
"""Configs of a listener whose clients have tokens with a signature."""
EXPECTING: Final = {
    **WITH_KEYS,
    "sasl.oauthbearer.expected.audience": f"{AUDIENCE},payments.example",
    "sasl.oauthbearer.expected.issuer": ISSUER,
}
"""Configs of one that also checks for whom a token is, and who issued it."""


def signed(
    claims: Mapping[str, object] | bytes = CLAIMS,
    algorithm: str = "RS256",
    key: str = "rsa",
    header: Mapping[str, object] | None = None,
) -> str:
    """Return a token with a signature by a key; the header names the key unless it is given."""
    payload = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    named: dict[str, Any] = dict({"kid": key} if header is None else header)
    with catch_warnings(action="ignore", category=InsecureKeyLengthWarning):
        return jwt.api_jws.PyJWS().encode(payload, _private(key), algorithm, headers=named)


@cache
def _private(key_id: str) -> Any:
    (found,) = (key for key in json.loads(KEYS.read_text("utf-8"))["keys"] if key["kid"] == key_id)
    return jwt.PyJWK({name: value for name, value in found.items() if name != "alg"}).key


WITH_KEYS_ALIKE: Final = {
    name: ALIKE.as_uri() if name.endswith(".url") else value for name, value in EXPECTING.items()
}
"""Configs of a listener that has to choose among several keys."""
