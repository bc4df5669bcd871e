"""Alteration and description of credentials."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.client.scram_credential import (
    CredentialChange,
    CredentialKey,
    ScramCredential,
)
from mockbroker.state.client.scram_credentials import ScramCredentials
from mockbroker.state.release.options import Options

FINE = ScramCredential(4096, b"salt", b"salted")


def credentials_of(release: str = "4.4") -> ScramCredentials:
    return ScramCredentials(Options.for_release(release).security)


def give(user: str, mechanism: int = 1, password: bytes = b"salted") -> CredentialChange:
    return CredentialChange(CredentialKey(user, mechanism), FINE._replace(salted_password=password))


def described(credentials: ScramCredentials, *users: str) -> dict[str, dict[int, int] | ErrorCode]:
    return {
        each.user: each.iterations if each.refusal is None else each.refusal.code
        for each in credentials.describe(users)
    }


def test_users_are_described_by_their_mechanisms() -> None:
    credentials = credentials_of()
    credentials.alter([give("bob")])
    credentials.alter([give("alice", 2)])
    credentials.alter([give("alice")])
    assert described(credentials) == {"alice": {1: 4096, 2: 4096}, "bob": {1: 4096}}
    assert described(credentials, "bob", "carol", "bob") == {
        "bob": ErrorCode.DUPLICATE_RESOURCE,
        "carol": ErrorCode.RESOURCE_NOT_FOUND,
    }


@pytest.mark.parametrize(
    ("release", "why"),
    [
        ("4.4", "Attempt to describe a user credential that does not exist: "),
        ("2.8", "Username must not be empty"),
    ],
)
def test_a_user_without_a_name_is_not_found(release: str, why: str) -> None:
    (unnamed,) = credentials_of(release).describe([""])
    assert unnamed.refusal is not None
    assert unnamed.refusal.why == why


@pytest.mark.parametrize(("release", "both"), [("4.4", False), ("2.8", True)])
def test_two_changes_of_a_user_depend_on_the_release(release: str, both: bool) -> None:
    credentials = credentials_of(release)
    credentials.alter([give("alice"), give("alice", 2)])
    assert described(credentials) == ({"alice": {1: 4096, 2: 4096}} if both else {})


@pytest.mark.parametrize("release", ["2.8", "4.4"])
def test_a_credential_without_a_password_is_rejected(release: str) -> None:
    credentials = credentials_of(release)
    bob, alice = credentials.alter([give("bob", password=b""), give("alice")])
    assert bob.refusal is not None
    assert bob.refusal.code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert alice.refusal is None
    assert described(credentials) == {"alice": {1: 4096}}


def test_a_credential_is_deleted() -> None:
    credentials = credentials_of()
    credentials.alter([give("alice")])
    assert credentials.as_text()
    credentials.alter([CredentialChange(CredentialKey("alice", 1), None)])
    assert credentials.as_text() == []
