"""Tokens with a signature: times by the cluster's clock, and input that a recording lacks.

`tests/conformance/scenarios/signed_tokens.py` has what real Kafka answered to all other tokens.
"""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.state.security.sasl.json_web_key import JsonWebKey, read_keys
from mockbroker.state.security.sasl.mechanism import SaslServerFailure
from mockbroker.state.security.sasl.oauthbearer_server import BearerToken, InvalidTokenError
from mockbroker.state.security.sasl.signed_token import SignedTokens
from tests.conformance.signed_tokens import KEYS, signed

NOW_MS = 1_000_000
CLAIMS: dict[str, object] = {"sub": "alice", "exp": 2000, "iat": 900}
ALL_KEYS = read_keys(KEYS.read_bytes())


def find_keys(_key_id: str | None, _now_ms: int) -> Sequence[JsonWebKey]:
    return ALL_KEYS


TOKENS = SignedTokens(find_keys)


def is_valid(claims: dict[str, object], now_ms: int = NOW_MS) -> bool:
    try:
        TOKENS.validate(signed(claims), now_ms)
    except InvalidTokenError:
        return False
    return True


def test_a_token_names_its_client_and_its_end() -> None:
    assert TOKENS.validate(signed(CLAIMS), NOW_MS) == BearerToken("alice", 2_000_000)


@pytest.mark.parametrize(("now_ms", "expected"), [(2_029_999, True), (2_030_000, False)])
def test_a_token_ends_after_the_skew_of_clocks(now_ms: int, expected: bool) -> None:
    assert is_valid(CLAIMS, now_ms) is expected


@pytest.mark.parametrize(("now_ms", "expected"), [(1_469_999, False), (1_470_000, True)])
def test_a_token_begins_before_its_time_by_the_skew(now_ms: int, expected: bool) -> None:
    assert is_valid({**CLAIMS, "nbf": 1500}, now_ms) is expected


def test_a_time_beyond_all_others_is_one() -> None:
    assert TOKENS.validate(signed({**CLAIMS, "exp": 10**400}), NOW_MS).expires_ms < 1 << 63
    assert not is_valid({**CLAIMS, "exp": float("inf")})


def test_half_a_surrogate_pair_in_a_name_is_replaced() -> None:
    assert TOKENS.validate(signed({**CLAIMS, "sub": "\ud800x"}), NOW_MS).principal == "?x"


def test_an_element_of_a_scope_that_is_no_text_ends_the_connection() -> None:
    with pytest.raises(SaslServerFailure):
        TOKENS.validate(signed({**CLAIMS, "scope": [1]}), NOW_MS)


@pytest.mark.parametrize("name", ["kid", "alg"])
def test_a_header_with_a_value_of_another_type_is_refused(name: str) -> None:
    header, _, rest = signed(CLAIMS).partition(".")
    assert header
    other = json.dumps({"alg": "RS256", "kid": "rsa", name: ["RS256"]})
    with pytest.raises(InvalidTokenError):
        TOKENS.validate(f"{_part(other)}.{rest}", NOW_MS)


@given(st.lists(st.text("eyJhbGciOiJub25lIn0-_", max_size=40), max_size=4))
def test_any_other_text_is_refused(parts: list[str]) -> None:
    with pytest.raises(InvalidTokenError):
        TOKENS.validate(".".join(parts), NOW_MS)


@given(st.dictionaries(st.sampled_from(["sub", "exp", "iat", "nbf", "aud", "iss"]), st.integers()))
def test_claims_of_any_type_are_refused_or_accepted(claims: dict[str, object]) -> None:
    assert is_valid({"exp": 2000, **claims}) is False  # a subject is a text


def _part(text: str) -> str:
    return signed(text.encode()).split(".")[1]
