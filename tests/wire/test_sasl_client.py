"""The client sides of SASL mechanisms, by the examples of their RFCs."""

import pytest

from mockbroker.wire import sasl_client
from mockbroker.wire.sasl_client import ClientLogin, LoginError

NONCE = "rOprNGfwEbeRWgbNEkqO"
SERVER_FIRST = f"r={NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096".encode()
SCRAM = ClientLogin("SCRAM-SHA-256", "user", "pencil")


@pytest.fixture(autouse=True)
def nonce_of_the_rfc(monkeypatch: pytest.MonkeyPatch) -> None:
    def nonce(_bytes: int) -> str:
        return NONCE

    monkeypatch.setattr(sasl_client, "token_urlsafe", nonce)


def test_scram_sends_the_messages_of_rfc_7677() -> None:
    steps = SCRAM.steps()
    assert next(steps) == f"n,,n=user,r={NONCE}".encode()
    final = steps.send(SERVER_FIRST)
    assert final.endswith(b",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
    with pytest.raises(StopIteration):
        steps.send(b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")


def test_a_broker_that_does_not_know_the_password_is_refused() -> None:
    steps = SCRAM.steps()
    next(steps)
    steps.send(SERVER_FIRST)
    with pytest.raises(LoginError, match="does not know the password"):
        steps.send(b"v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")


def test_a_broker_that_does_not_repeat_the_nonce_is_refused() -> None:
    steps = SCRAM.steps()
    next(steps)
    with pytest.raises(LoginError, match="does not repeat the nonce"):
        steps.send(b"r=other,s=W22Z,i=4096")


@pytest.mark.parametrize("rest", ["i=4096", "s=W22Z", "s=W22Z,i=x", "s=W22Z,i=0", "s=!,i=4096"])
def test_a_broker_that_tells_no_salt_and_iterations_is_refused(rest: str) -> None:
    steps = SCRAM.steps()
    next(steps)
    with pytest.raises(LoginError, match="tells no salt and iterations"):
        steps.send(f"r={NONCE}x,{rest}".encode())


def test_a_last_answer_that_is_no_message_of_scram_is_refused() -> None:
    steps = SCRAM.steps()
    next(steps)
    steps.send(SERVER_FIRST)
    with pytest.raises(LoginError, match="does not know the password"):
        steps.send(b"\xff\xfe")


def test_signs_in_a_user_name_are_escaped() -> None:
    assert next(ClientLogin("SCRAM-SHA-512", "a=b,c", "x").steps()).startswith(b"n,,n=a=3Db=2Cc,r=")


def test_plain_sends_user_and_password() -> None:
    assert list(ClientLogin("PLAIN", "alice", "secret").steps()) == [b"\0alice\0secret"]


def test_a_token_that_is_refused_is_acknowledged_once() -> None:
    steps = ClientLogin("OAUTHBEARER", token="abc").steps()
    assert next(steps) == b"n,,\x01auth=Bearer abc\x01\x01"
    assert steps.send(b'{"status":"invalid_token"}') == b"\x01"
    with pytest.raises(LoginError, match="refuses the token"):
        steps.send(b"")


def test_credentials_are_not_shown() -> None:
    assert repr(SCRAM) == "ClientLogin(mechanism='SCRAM-SHA-256')"
