"""Keys that check signed tokens, as a JWKS has them (RFC 7517)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from jwt import PyJWK, PyJWTError

_CURVES: Final = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"}
_KEY_TYPES: Final = {"RS": "RSA", "PS": "RSA", "ES": "EC", "HS": "oct", "Ed": "OKP"}


class JsonWebKey(NamedTuple):
    """A key, without its private part."""

    key_id: str | None
    type: str | None
    use: str | None
    algorithm: str | None
    """The algorithm that it is for; None: any of its type."""
    curve: str | None
    key: Any
    """The key, as the library for tokens has it."""


def read_keys(text: bytes) -> Sequence[JsonWebKey]:
    """Read a JWKS, without the keys of unknown kinds.

    Raises:
        ValueError: it is none.

    """
    try:
        document = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    entries = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise ValueError("it is no JWKS, a JSON object with a list of keys")
    return [key for entry in entries if (key := _key(entry)) is not None]


def _key(entry: Mapping[str, Any]) -> JsonWebKey | None:
    try:
        # The library refuses algorithms that it does not know, though the key may be of use.
        key = PyJWK({name: value for name, value in entry.items() if name not in ("alg", "d")})
    except (PyJWTError, AttributeError, TypeError, ValueError):
        return None
    algorithm, curve = entry.get("alg"), entry.get("crv")
    return JsonWebKey(key.key_id, key.key_type, key.public_key_use, algorithm, curve, key.key)


def select_key(keys: Sequence[JsonWebKey], algorithm: str, key_id: str | None) -> JsonWebKey | None:
    """Return the key for a token's header; None if no key fits (jose4j's VerificationJwkSelector).

    The algorithm of a key, and then its curve, matter only among several that fit.
    """
    fitting = [
        key
        for key in keys
        if key_id in (None, key.key_id)
        and key.use in (None, "sig")
        and key.type == _KEY_TYPES[algorithm[:2]]
    ]
    if len(fitting) > 1:
        fitting = [key for key in fitting if key.algorithm in (None, algorithm)]
    if len(fitting) > 1 and algorithm in _CURVES:
        fitting = [key for key in fitting if key.curve == _CURVES[algorithm]]
    return fitting[0] if fitting else None
