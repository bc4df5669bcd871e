"""Tokens with a signature (JWT), checked by a set of keys (KIP-768, Kafka's BrokerJwtValidator).

The library checks signatures. Claims are checked here, at times of the cluster's clock, by the
rules of the library that Kafka uses (jose4j).
"""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, Final, NamedTuple, TypeAlias

from jwt import PyJWTError
from jwt.api_jws import PyJWS

from mockbroker.state.security.sasl.json_web_key import JsonWebKey, select_key
from mockbroker.state.security.sasl.mechanism import SaslServerFailure, clean_name
from mockbroker.state.security.sasl.oauthbearer_server import (
    BearerToken,
    InvalidTokenError,
    json_object,
)

_PARTS: Final = 3
_SECOND_MS: Final = 1000
_LATEST_S: Final = (1 << 52) - 1
"""Times after it would not fit into a response."""
_ALGORITHMS: Final = (
    *(f"{family}{bits}" for family in ("RS", "PS", "ES", "HS") for bits in (256, 384, 512)),
    "EdDSA",
)
_SIGNATURES: Final = PyJWS(_ALGORITHMS, {"enforce_minimum_key_length": True})

FindKeys: TypeAlias = Callable[[str | None, int], Sequence[JsonWebKey]]
"""Function that returns the keys at a time; it is told the id of the key that is looked for."""


class SignedTokens(NamedTuple):
    """What a listener requires of tokens with a signature."""

    find_keys: FindKeys
    audiences: frozenset[str] = frozenset()
    """Audiences of which a token has to name one; without any, a token must not have one."""
    issuer: str | None = None
    subject_claim: str = "sub"
    scope_claim: str = "scope"
    clock_skew_s: int = 30
    audience_is_checked: bool = True

    def validate(self, text: str, now_ms: int) -> BearerToken:
        """Check a token at a time of the cluster's clock.

        Raises:
            InvalidTokenError: its signature is not by one of the keys, it is malformed, expired or
                not yet valid, or a claim is missing or not as expected.
            SaslServerFailure: its scope has an element that is no text.

        """
        claims = self._signed_claims(text, now_ms)
        self._check_parties(claims)
        expires_s, issued_s = _checked_times(claims, now_ms // _SECOND_MS, self.clock_skew_s)
        subject = claims.get(self.subject_claim)
        if not isinstance(subject, str):
            raise InvalidTokenError
        _check_scope(claims.get(self.scope_claim))
        if not subject.strip() or min(expires_s, issued_s) < 0:
            raise InvalidTokenError
        return BearerToken(clean_name(subject.strip()), expires_s * _SECOND_MS)

    def _signed_claims(self, text: str, now_ms: int) -> dict[str, Any]:
        parts = text.split(".")
        if len(parts) != _PARTS or not all(parts):
            raise InvalidTokenError
        header = json_object(parts[0], names_may_repeat=False)
        if "crit" in header or str(header.get("cty", "")).upper() == "JWT":
            raise InvalidTokenError  # an extension that is not known, or a token in a token
        key = self._key(header, now_ms)
        try:
            _SIGNATURES.decode(text, key.key, algorithms=[header["alg"]])
        except (PyJWTError, TypeError, ValueError):
            raise InvalidTokenError from None
        return json_object(parts[1], names_may_repeat=False)

    def _key(self, header: Mapping[str, Any], now_ms: int) -> JsonWebKey:
        algorithm, key_id = header.get("alg"), header.get("kid")
        if algorithm not in _ALGORITHMS or not isinstance(key_id, str | None):
            raise InvalidTokenError
        key = select_key(self.find_keys(key_id, now_ms), algorithm, key_id)
        if key is None:
            raise InvalidTokenError
        return key

    def _check_parties(self, claims: Mapping[str, Any]) -> None:
        if self.audience_is_checked:
            audience = claims.get("aud")
            named = [audience] if isinstance(audience, str) else audience
            if named is None:
                named = [] if self.audiences else None
            if named is not None and not _names_one(named, self.audiences):
                raise InvalidTokenError
        issuer = claims.get("iss")
        if not isinstance(issuer, str | None) or self.issuer not in (None, issuer):
            raise InvalidTokenError
        for name in ("sub", "jti"):
            if not isinstance(claims.get(name), str | None):
                raise InvalidTokenError


def _names_one(named: object, audiences: frozenset[str]) -> bool:
    if not isinstance(named, list) or not all(isinstance(each, str) for each in named):
        return False
    return not audiences.isdisjoint(named)


def _checked_times(claims: Mapping[str, Any], now_s: int, skew_s: int) -> tuple[int, int]:
    """Return when a token expires and when it was issued; a time of issue may still come."""
    expires_s, issued_s = _time_s(claims.get("exp")), _time_s(claims.get("iat"))
    not_before_s = _time_s(claims.get("nbf"))
    if expires_s is None or issued_s is None:
        raise InvalidTokenError
    if now_s - skew_s >= expires_s or expires_s < issued_s:
        raise InvalidTokenError
    if not_before_s is not None and not_before_s > min(expires_s, now_s + skew_s):
        raise InvalidTokenError
    return expires_s, issued_s


def _time_s(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidTokenError
    if isinstance(value, float) and not isfinite(value):
        raise InvalidTokenError
    return min(int(value), _LATEST_S)


def _check_scope(value: object) -> None:
    """Refuse elements that are empty or there twice; what is no text and no list is no scope."""
    elements = [value] if isinstance(value, str) else value
    if not isinstance(elements, list):
        return
    seen: set[str] = set()
    for each in elements:
        if each is None:
            raise InvalidTokenError
        if not isinstance(each, str):
            raise SaslServerFailure("it takes each element of a scope for a text")
        name = each.strip()
        if not name or name in seen:
            raise InvalidTokenError
        seen.add(name)
