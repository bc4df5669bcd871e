"""Tokens without a signature: claims, times, scopes."""

import pytest

from mockbroker.state.security.sasl.mechanism import SaslServerFailure
from mockbroker.state.security.sasl.oauthbearer_server import BearerToken, InvalidTokenError
from mockbroker.state.security.sasl.unsecured_token import UnsecuredTokens
from tests.conformance.sasl import unsecured

NOW_MS = 1_000_000
CLAIMS: dict[str, object] = {"sub": "alice", "exp": 2000}
TOKENS = UnsecuredTokens()


def test_a_token_names_its_client_and_its_end() -> None:
    assert TOKENS.validate(unsecured(CLAIMS), NOW_MS) == BearerToken("alice", 2_000_000)


def test_half_a_surrogate_pair_in_a_name_is_replaced() -> None:
    assert TOKENS.validate(unsecured({**CLAIMS, "sub": "\ud800x"}), NOW_MS).principal == "?x"


@pytest.mark.parametrize("exp", [10**400, 1e300])
def test_a_time_beyond_all_others_is_one(exp: float) -> None:
    assert TOKENS.validate(unsecured({**CLAIMS, "exp": exp}), NOW_MS).expires_ms == (1 << 62) - 1


def test_options_name_claims_a_scope_and_a_skew() -> None:
    tokens = UnsecuredTokens.of_options(
        {
            "unsecuredValidatorPrincipalClaimName": "who",
            "unsecuredValidatorScopeClaimName": "may",
            "unsecuredValidatorRequiredScope": "read write",
            "unsecuredValidatorAllowableClockSkewMs": "1000",
        }
    )
    claims = {"who": "bob", "exp": 1000, "may": ["write", "read"], "iat": 999}
    assert tokens.validate(unsecured(claims), NOW_MS + 999).principal == "bob"
    with pytest.raises(InvalidTokenError):
        tokens.validate(unsecured(claims), NOW_MS + 1000)
    with pytest.raises(InvalidTokenError) as refused:
        tokens.validate(unsecured({**claims, "may": ["read"]}), NOW_MS)
    assert (refused.value.status, refused.value.scope) == ("insufficient_scope", "[read, write]")


def test_a_skew_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="no number from 0 on"):
        UnsecuredTokens.of_options({"unsecuredValidatorAllowableClockSkewMs": "-1"})


@pytest.mark.parametrize(
    "token",
    [
        unsecured({**CLAIMS, "exp": 1000}),
        unsecured({**CLAIMS, "exp": True}),
        unsecured({**CLAIMS, "exp": float("inf")}),
        unsecured({**CLAIMS, "exp": float("nan")}),
        unsecured({**CLAIMS, "iat": 1001}),
        unsecured({**CLAIMS, "iat": "now"}),
        unsecured({**CLAIMS, "scope": 7}),
        unsecured({"exp": 2000}),
        unsecured({**CLAIMS, "sub": " "}),
        unsecured(CLAIMS, {"alg": "RS256"}),
        unsecured(CLAIMS) + "c2ln",
        "a.b",
        "W10.W10.",
        "é.é.",
        "",
    ],
)
def test_what_is_wrong_is_no_token(token: str) -> None:
    with pytest.raises(InvalidTokenError):
        TOKENS.validate(token, NOW_MS)


def test_kafka_fails_without_an_algorithm() -> None:
    with pytest.raises(SaslServerFailure):
        TOKENS.validate(unsecured(CLAIMS, {}), NOW_MS)
