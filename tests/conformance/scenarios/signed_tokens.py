"""Authentication by signed tokens, which brokers check against a set of keys."""

from collections.abc import Mapping
from typing import Final

from tests.conformance.releases import between, defaults_since
from tests.conformance.sasl import FAR_S, LISTENER, OAUTHBEARER, SaslClient, bearer, unsecured
from tests.conformance.script import scenario
from tests.conformance.signed_tokens import (
    CLAIMS,
    EXPECTING,
    ISSUER,
    WITH_KEYS,
    WITH_KEYS_ALIKE,
    signed,
)
from tests.conformance.talk import Talk

SINCE_KIP_768: Final = defaults_since("3.6")
UNCHECKED: Final[Mapping[str, Mapping[str, str]]] = {
    "3.9": WITH_KEYS,
    "4.4": {
        **WITH_KEYS,
        "sasl.oauthbearer.allow.unverified.audience": "true",
        "sasl.oauthbearer.allow.unverified.issuer": "true",
    },
}
PAST_S: Final = 1_600_000_000
RSA: Final = {"alg": "RS256", "kid": "rsa"}


def _without(name: str) -> dict[str, object]:
    return {claim: value for claim, value in CLAIMS.items() if claim != name}


OTHER_CLAIMS: Final[Mapping[str, Mapping[str, object] | bytes]] = {
    "for another audience": {**CLAIMS, "aud": "another"},
    "for several audiences": {**CLAIMS, "aud": ["another", "payments.example"]},
    "for no audience of a list": {**CLAIMS, "aud": []},
    "for an audience that is a number": {**CLAIMS, "aud": 1},
    "for an audience that is a number in a list": {**CLAIMS, "aud": ["payments.example", 1]},
    "without an audience": _without("aud"),
    "of another issuer": {**CLAIMS, "iss": ISSUER + "/"},
    "of an issuer that is a list": {**CLAIMS, "iss": [ISSUER]},
    "without an issuer": _without("iss"),
    "without a subject": _without("sub"),
    "of an empty subject": {**CLAIMS, "sub": ""},
    "of a blank subject": {**CLAIMS, "sub": " "},
    "of a subject with spaces": {**CLAIMS, "sub": " alice "},
    "of a subject that is a number": {**CLAIMS, "sub": 1},
    "without an end": _without("exp"),
    "that has ended": {**CLAIMS, "exp": PAST_S + 1},
    "that ended before its issue": {**CLAIMS, "iat": FAR_S + 1},
    "that ended at its issue": {**CLAIMS, "iat": FAR_S},
    "with an end that is a text": {**CLAIMS, "exp": str(FAR_S)},
    "with an end that is a fraction": {**CLAIMS, "exp": FAR_S + 0.5},
    "with an end that is true": {**CLAIMS, "exp": True},
    "with an end that is null": {**CLAIMS, "exp": None},
    "without an issue": _without("iat"),
    "issued later": {**CLAIMS, "iat": FAR_S - 1},
    "issued before 1970": {**CLAIMS, "iat": -1},
    "with an issue that is a text": {**CLAIMS, "iat": "1"},
    "not before later": {**CLAIMS, "nbf": FAR_S - 1},
    "not before 2020": {**CLAIMS, "nbf": PAST_S},
    "not before its end": {**CLAIMS, "nbf": FAR_S + 1},
    "not before a text": {**CLAIMS, "nbf": "1"},
    "with an id that is a number": {**CLAIMS, "jti": 1},
    "with a scope": {**CLAIMS, "scope": "orders"},
    "with several scopes": {**CLAIMS, "scope": ["orders", "payments"]},
    "with the same scope twice": {**CLAIMS, "scope": ["orders", " orders "]},
    "with an empty scope": {**CLAIMS, "scope": ""},
    "with an empty scope in a list": {**CLAIMS, "scope": ["orders", ""]},
    "with a scope that is a number": {**CLAIMS, "scope": 1},
    "with a scope that is an object": {**CLAIMS, "scope": {"orders": 1}},
    "with a scope of null in a list": {**CLAIMS, "scope": [None]},
    "with a scope of a number in a list": {**CLAIMS, "scope": [1]},
    "whose claims are a list": b"[1]",
    "whose claims are no JSON": b"{",
    "whose claims are empty": b"{}",
    "with a claim twice": b'{"sub": "bob", ' + b'"sub": "alice"}',
}
OTHER_TOKENS: Final[Mapping[str, str]] = {
    "by another algorithm of the key": signed(algorithm="RS512"),
    "by the key of an elliptic curve": signed(algorithm="ES256", key="ec"),
    "by a probabilistic algorithm": signed(algorithm="PS256"),
    "by a shared key": signed(algorithm="HS256", key="shared"),
    "by a shared key, with SHA-512": signed(algorithm="HS512", key="shared"),
    "by a short key": signed(algorithm="HS256", key="short"),
    "by a key that encrypts": signed(key="encrypts"),
    "by a key of another algorithm": signed(key="rs512 only"),
    "by a key of its algorithm": signed(algorithm="RS512", key="rs512 only"),
    "by no key of that name": signed(header={"kid": "another"}),
    "by no named key": signed(header={}),
    "by no named key, the second of its kind": signed(key="encrypts", header={}),
    "by no named key, an elliptic curve": signed(algorithm="ES256", key="ec", header={}),
    "by a key that is another's": signed(key="encrypts", header={"kid": "rsa"}),
    "by a key of another kind": signed(algorithm="HS256", key="shared", header={"kid": "rsa"}),
    "with a critical header": signed(header={"kid": "rsa", "crit": ["exp"], "exp": 1}),
    "of another type": signed(header={"kid": "rsa", "typ": "at+jwt"}),
    "of claims in a token": signed(header={"kid": "rsa", "cty": "JWT"}),
    "without a signature": unsecured(CLAIMS),
    "with an empty signature": signed().rpartition(".")[0] + ".",
    "with another signature": signed()[:-6] + "AAAAAA",
    "with a fourth part": signed() + ".A",
    "of two parts": signed().rpartition(".")[0],
    "of three dots": "...",
    "whose header is no JSON": "e30x." + signed().partition(".")[2],
    "whose header is empty": "e30." + signed().partition(".")[2],
}


def present(talk: Talk, title: str, token: str) -> None:
    """Present a token, and acknowledge its refusal, or send a request."""
    client = SaslClient(talk, title)
    client.shake(OAUTHBEARER)
    client.token(bearer(token))
    client.token(b"\x01")


@scenario(listeners=(LISTENER,), settings=EXPECTING, presets=SINCE_KIP_768)
def signed_tokens(talk: Talk) -> None:
    """Tokens with a signature, and every refusal, which the client has to acknowledge."""
    client = SaslClient(talk, "a token")
    client.shake(OAUTHBEARER)
    client.token(bearer(signed()))
    client.metadata()
    for title, claims in OTHER_CLAIMS.items():
        present(talk, title, signed(claims))
    for title, token in OTHER_TOKENS.items():
        present(talk, title, token)


def _unchecked(talk: Talk) -> None:
    """Present tokens where neither an audience nor an issuer is expected."""
    for title, claims in {
        "with both": CLAIMS,
        "without an audience": _without("aud"),
        "without an issuer": _without("iss"),
        "for an audience that is a number": {**CLAIMS, "aud": 1},
        "of an issuer that is a list": {**_without("aud"), "iss": [ISSUER]},
    }.items():
        present(talk, title, signed(claims))


@scenario(listeners=(LISTENER,), settings=UNCHECKED["3.9"], presets=between("3.6", "3.9"))
def tokens_of_any_issuer(talk: Talk) -> None:
    """No issuer and no audience is expected."""
    _unchecked(talk)


@scenario(listeners=(LISTENER,), settings=UNCHECKED["4.4"], presets=("4.4",))
def tokens_that_may_be_of_any_issuer(talk: Talk) -> None:
    """No issuer and no audience is expected, which has to be allowed."""
    _unchecked(talk)


@scenario(
    listeners=(LISTENER,),
    settings={
        **EXPECTING,
        "sasl.oauthbearer.sub.claim.name": "client_id",
        "sasl.oauthbearer.scope.claim.name": "scp",
        "sasl.oauthbearer.clock.skew.seconds": "0",
    },
    presets=SINCE_KIP_768,
)
def tokens_with_other_claims(talk: Talk) -> None:
    """The names of the claims are set."""
    for title, claims in {
        "of a subject": CLAIMS,
        "of a client": {**CLAIMS, "client_id": "bob"},
        "of a client that is a number": {**CLAIMS, "client_id": 1},
        "of a client and a bad scope": {**CLAIMS, "client_id": "bob", "scp": ["a", "a"]},
        "of a client and a bad scope of another name": {
            **CLAIMS,
            "client_id": "bob",
            "scope": ["a", "a"],
        },
    }.items():
        present(talk, title, signed(claims))


@scenario(listeners=(LISTENER,), settings=WITH_KEYS_ALIKE, presets=SINCE_KIP_768)
def tokens_that_several_keys_fit(talk: Talk) -> None:
    """The algorithm of a key, and then its curve, matter among several."""
    for title, (algorithm, key, header) in {
        "the second of a name, by its algorithm": ("RS256", "rsa", {"kid": "same"}),
        "the first of a name, by its algorithm": ("PS256", "encrypts", {"kid": "same"}),
        "the first of a name, by another's algorithm": ("RS256", "encrypts", {"kid": "same"}),
        "a name whose keys have other algorithms": ("RS512", "rsa", {"kid": "same"}),
        "the second of a name, without an algorithm": ("RS256", "rs512 only", {"kid": "twice"}),
        "no name, the second key": ("RS256", "rsa", {}),
        "no name, a key that is not the first": ("RS256", "rs512 only", {}),
        "no name, the second curve": ("ES256", "ec", {}),
        "the name of another curve": ("ES256", "ec", {"kid": "p-384"}),
        "the name of the curve": ("ES256", "ec", {"kid": "p-256"}),
    }.items():
        present(talk, title, signed(algorithm=algorithm, key=key, header=header))
