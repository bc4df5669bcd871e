"""Validation of credential changes."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.client.scram_credential import (
    CredentialChange,
    CredentialKey,
    Credentials,
    Refusals,
    ScramCredential,
    refusals_by_credential,
    refusals_by_user,
    without_password,
)

FINE = ScramCredential(4096, b"salt", b"salted")
KNOWN: Credentials = {CredentialKey("alice", 1): FINE}


def give(user: str, mechanism: int = 1, *, iterations: int = 4096) -> CredentialChange:
    credential = FINE._replace(iterations=iterations)
    return CredentialChange(CredentialKey(user, mechanism), credential)


def take(user: str, mechanism: int = 1) -> CredentialChange:
    return CredentialChange(CredentialKey(user, mechanism), None)


def codes(refusals: Refusals) -> dict[str, ErrorCode]:
    return {user: refusal.code for user, refusal in refusals.items()}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (give("bob"), None),
        (give("bob", 2, iterations=16384), None),
        (give(""), ErrorCode.UNACCEPTABLE_CREDENTIAL),
        (give("bob", 0), ErrorCode.UNSUPPORTED_SASL_MECHANISM),
        (give("bob", iterations=4095), ErrorCode.UNACCEPTABLE_CREDENTIAL),
        (give("bob", iterations=16385), ErrorCode.UNACCEPTABLE_CREDENTIAL),
        (take("alice"), None),
        (take("alice", 2), ErrorCode.RESOURCE_NOT_FOUND),
        (take("alice", 9), ErrorCode.UNSUPPORTED_SASL_MECHANISM),
        (take("bob"), ErrorCode.RESOURCE_NOT_FOUND),
    ],
)
def test_single_changes_are_validated_alike(
    change: CredentialChange, code: ErrorCode | None
) -> None:
    expected = {} if code is None else {change.key.user: code}
    assert codes(refusals_by_user([change], KNOWN)) == expected
    assert codes(refusals_by_credential([change], KNOWN)) == expected


@pytest.mark.parametrize(
    ("changes", "by_user", "by_credential"),
    [
        (
            [give("bob"), give("bob")],
            ErrorCode.DUPLICATE_RESOURCE,
            ErrorCode.DUPLICATE_RESOURCE,
        ),
        ([give("bob"), give("bob", 2)], ErrorCode.DUPLICATE_RESOURCE, None),
        ([take("alice"), give("alice", 2)], ErrorCode.DUPLICATE_RESOURCE, None),
        (
            [give("bob"), give("bob", 2, iterations=1)],
            ErrorCode.DUPLICATE_RESOURCE,
            ErrorCode.UNACCEPTABLE_CREDENTIAL,
        ),
        (
            [give("bob", iterations=1), give("bob")],
            ErrorCode.UNACCEPTABLE_CREDENTIAL,
            ErrorCode.UNACCEPTABLE_CREDENTIAL,
        ),
        (
            [take("bob"), give("bob")],
            ErrorCode.RESOURCE_NOT_FOUND,
            ErrorCode.DUPLICATE_RESOURCE,
        ),
    ],
)
def test_several_changes_of_a_user_are_validated_differently(
    changes: list[CredentialChange],
    by_user: ErrorCode | None,
    by_credential: ErrorCode | None,
) -> None:
    user = changes[0].key.user
    assert codes(refusals_by_user(changes, KNOWN)).get(user) == by_user
    assert codes(refusals_by_credential(changes, KNOWN)).get(user) == by_credential


def test_users_are_validated_independently() -> None:
    changes = [give("bob"), give("carol", iterations=1)]
    assert codes(refusals_by_user(changes, KNOWN)) == {"carol": ErrorCode.UNACCEPTABLE_CREDENTIAL}


def test_a_credential_needs_a_password() -> None:
    empty = CredentialChange(CredentialKey("bob", 1), FINE._replace(salted_password=b""))
    assert without_password([empty, give("carol"), take("alice")]) == {"bob"}
