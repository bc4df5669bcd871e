"""Keys of a JWKS, and the one that fits a token."""

import json

import pytest

from mockbroker.state.security.sasl.json_web_key import JsonWebKey, read_keys, select_key
from tests.conformance.signed_tokens import KEYS

ENTRIES = {entry["kid"]: entry for entry in json.loads(KEYS.read_text("utf-8"))["keys"]}
RSA, EC = JsonWebKey("a", "RSA", None, None, None, None), "EC"


def test_keys_have_no_private_part_and_unknown_kinds_are_left_out() -> None:
    text = json.dumps({"keys": [ENTRIES["rsa"], {"kty": "new"}, {}, "no key"]}).encode()
    (key,) = read_keys(text)
    assert not hasattr(key.key, "private_numbers")


@pytest.mark.parametrize("text", [b"", b"[]", b'{"keys": 1}', b"\xff", b"[" * 100_000])
def test_another_text_is_an_error(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"Expecting value|JWKS|utf-8|nested"):
        read_keys(text)


def test_the_algorithm_of_a_key_matters_only_among_several() -> None:
    of_another = RSA._replace(algorithm="PS256")
    assert select_key([of_another], "RS256", "a") is of_another
    right = RSA._replace(algorithm="RS256")
    assert select_key([of_another, right], "RS256", None) is right
    assert select_key([of_another, RSA._replace(algorithm="PS512")], "RS256", None) is None


def test_so_does_its_curve() -> None:
    large = JsonWebKey("a", EC, None, None, "P-384", None)
    small = large._replace(curve="P-256")
    assert select_key([large], "ES256", None) is large
    assert select_key([large, small], "ES256", None) is small


@pytest.mark.parametrize("change", [{"key_id": "b"}, {"type": "EC"}, {"use": "enc"}])
def test_another_key_does_not_fit(change: dict[str, str]) -> None:
    assert select_key([RSA], "RS256", "a") is RSA
    assert select_key([RSA._replace(**change)], "RS256", "a") is None
