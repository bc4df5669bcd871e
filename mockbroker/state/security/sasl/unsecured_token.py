"""Tokens without a signature, for tests (Kafka's OAuthBearerUnsecuredValidatorCallbackHandler)."""

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final, NamedTuple, Self

from mockbroker.state.security.sasl.mechanism import SaslServerFailure, clean_name
from mockbroker.state.security.sasl.oauthbearer_server import (
    BearerToken,
    InvalidTokenError,
    json_object,
)

_OPTION: Final = "unsecuredValidator"
_PARTS: Final = 3
_SECOND_MS: Final = 1000
_LATEST_MS: Final = (1 << 62) - 1
"""Times after it would not fit into a response."""


class UnsecuredTokens(NamedTuple):
    """What a listener requires of tokens without a signature."""

    principal_claim: str = "sub"
    scope_claim: str = "scope"
    required_scope: tuple[str, ...] = ()
    clock_skew_ms: int = 0

    @classmethod
    def of_options(cls, options: Mapping[str, str]) -> Self:
        """Take the options of a login module.

        Raises:
            ValueError: the clock skew is no number from 0 on.

        """
        skew = options.get(f"{_OPTION}AllowableClockSkewMs", "").strip() or "0"
        if not skew.isdecimal():
            raise ValueError(f"{_OPTION}AllowableClockSkewMs is no number from 0 on")
        return cls(
            options.get(f"{_OPTION}PrincipalClaimName", "").strip() or "sub",
            options.get(f"{_OPTION}ScopeClaimName", "").strip() or "scope",
            tuple(options.get(f"{_OPTION}RequiredScope", "").split()),
            int(skew),
        )

    def validate(self, text: str, now_ms: int) -> BearerToken:
        """Check a token at a time of the cluster's clock.

        Raises:
            InvalidTokenError: it is signed, malformed, expired, not yet valid, or lacks a claim.
            SaslServerFailure: it names no algorithm.

        """
        claims = _claims(text)
        principal = claims.get(self.principal_claim)
        if not isinstance(principal, str) or not principal.strip():
            raise InvalidTokenError
        expires_ms = checked_times(claims, now_ms, self.clock_skew_ms)
        scope = set(_scope(claims.get(self.scope_claim)))
        if not scope.issuperset(self.required_scope):
            raise InvalidTokenError("insufficient_scope", f"[{', '.join(self.required_scope)}]")
        return BearerToken(clean_name(principal.strip()), expires_ms)


def checked_times(claims: Mapping[str, Any], now_ms: int, clock_skew_ms: int) -> int:
    """Return the time at which a token expires, in milliseconds.

    Raises:
        InvalidTokenError: it has expired, has no such time, or was issued later than it is now.

    """
    expires_ms = _time_ms(claims.get("exp"))
    if expires_ms is None or now_ms - clock_skew_ms >= expires_ms:
        raise InvalidTokenError
    if "iat" in claims:
        issued_ms = _time_ms(claims["iat"])
        if issued_ms is None or issued_ms > now_ms + clock_skew_ms or expires_ms <= issued_ms:
            raise InvalidTokenError
    return expires_ms


def _time_ms(seconds: object) -> int | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    if isinstance(seconds, float) and not isfinite(seconds):
        return None
    return round(min(seconds * _SECOND_MS, _LATEST_MS))


def _scope(value: object) -> list[str]:
    """Return the elements of a scope; as in Kafka, a text is one element."""
    elements = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(elements, list):
        raise InvalidTokenError
    return [str(each).strip() for each in elements]


def _claims(text: str) -> dict[str, Any]:
    parts = text.split(".")
    if len(parts) != _PARTS or "" in parts[:2] or parts[2]:
        raise InvalidTokenError  # malformed, or with a signature
    header, claims = (json_object(part, names_may_repeat=True) for part in parts[:2])
    if "alg" not in header:
        raise SaslServerFailure("it compares the name of the algorithm without a look at null")
    if header["alg"] != "none":
        raise InvalidTokenError
    return claims
