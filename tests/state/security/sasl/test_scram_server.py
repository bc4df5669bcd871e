"""SCRAM checks a proof of the password."""

import contextlib
from base64 import b64decode
from hashlib import pbkdf2_hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.state.client.scram_credential import ScramCredential, ScramMechanism
from mockbroker.state.release.security_options import ScramNonceCheck
from mockbroker.state.security.sasl.mechanism import SaslAuthenticationError, SaslError
from mockbroker.state.security.sasl.scram_server import ScramServer

# The example of RFC 7677.
SALT = b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
CREDENTIAL = ScramCredential(4096, SALT, pbkdf2_hmac("sha256", b"pencil", SALT, 4096))
CLIENT_NONCE = "rOprNGfwEbeRWgbNEkqO"
SERVER_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
FIRST = f"n,,n=user,r={CLIENT_NONCE}"
FINAL = f"c=biws,r={CLIENT_NONCE}{SERVER_NONCE},p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="


def server(
    *, credential: ScramCredential = CREDENTIAL, check: ScramNonceCheck = ScramNonceCheck.WHOLE
) -> ScramServer:
    known = {"user": credential, "a,b=c": credential}
    return ScramServer(
        ScramMechanism.SCRAM_SHA_256, known.get, lambda: SERVER_NONCE, nonce_check=check
    )


def test_the_example_of_the_rfc_authenticates() -> None:
    authentication = server()
    challenge = authentication.evaluate(FIRST.encode(), 0)
    assert challenge.decode() == (
        f"r={CLIENT_NONCE}{SERVER_NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    )
    assert not authentication.is_complete
    proof = authentication.evaluate(FINAL.encode(), 0)
    assert proof == b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
    assert authentication.is_complete
    assert authentication.authorization_id == "user"


@pytest.mark.parametrize(
    "first", ["", "n,,n=user", "n,,r=x", "y,,n=user,r=x", "n,,n=mallory,r=x", "n,,n=us=er,r=x"]
)
def test_a_wrong_first_message_is_refused(first: str) -> None:
    with pytest.raises(SaslError):
        server().evaluate(first.encode(), 0)


def test_an_escaped_name_is_read() -> None:
    assert server().evaluate(b"n,,n=a=2Cb=3Dc,r=x", 0).startswith(b"r=x")


def test_another_authorization_id_is_refused_with_its_reason() -> None:
    with pytest.raises(SaslAuthenticationError, match="authorization id that is different"):
        server().evaluate(b"n,a=admin,n=user,r=x", 0)


def test_a_credential_with_few_iterations_is_refused() -> None:
    with pytest.raises(SaslError, match="1000 iterations are too few"):
        server(credential=CREDENTIAL._replace(iterations=1000)).evaluate(FIRST.encode(), 0)


@pytest.mark.parametrize(
    "final",
    [
        "",
        FINAL.replace("c=biws", "c"),
        FINAL.replace("p=d", "p=e"),
        FINAL.replace("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", "YWJj"),
        FINAL.replace(CLIENT_NONCE, "other"),
    ],
)
def test_a_wrong_final_message_is_refused(final: str) -> None:
    authentication = server()
    authentication.evaluate(FIRST.encode(), 0)
    with pytest.raises(SaslError):
        authentication.evaluate(final.encode(), 0)
    assert not authentication.is_complete
    with pytest.raises(SaslError, match="after the last one"):
        authentication.evaluate(FINAL.encode(), 0)


def test_an_old_release_accepts_any_nonce() -> None:
    authentication = server(check=ScramNonceCheck.NONE)
    authentication.evaluate(FIRST.encode(), 0)
    with pytest.raises(SaslError, match="Invalid client credentials"):  # not: nonce
        authentication.evaluate(FINAL.replace(CLIENT_NONCE, "other").encode(), 0)


@given(st.lists(st.binary(max_size=80), max_size=4))
def test_no_bytes_authenticate(tokens: list[bytes]) -> None:
    authentication = server()
    for token in (FIRST.encode(), *tokens):
        with contextlib.suppress(SaslError):
            authentication.evaluate(token, 0)
    assert not authentication.is_complete
