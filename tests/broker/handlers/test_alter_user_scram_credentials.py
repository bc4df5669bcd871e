"""AlterUserScramCredentials; with ZooKeeper, only the controller serves it."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from tests.support.in_process import Brokers


def give(user: str, *, iterations: int = 4096) -> AlterUserScramCredentialsRequest:
    return AlterUserScramCredentialsRequest(
        upsertions=[
            ScramCredentialUpsertion(
                name=user, mechanism=1, iterations=iterations, salt=b"s", salted_password=b"p"
            )
        ]
    )


def ask(
    brokers: Brokers, request: AlterUserScramCredentialsRequest, *, broker_id: int = 1
) -> list[tuple[str, ErrorCode, str | None]]:
    answer = brokers.ask(request, 0, AlterUserScramCredentialsResponse, broker_id=broker_id)
    return [(each.user, ErrorCode(each.error_code), each.error_message) for each in answer.results]


@pytest.mark.parametrize(("release", "message"), [("4.4", None), ("2.8", "")])
def test_credentials_are_set_and_deleted(release: str, message: str | None) -> None:
    brokers = Brokers(release=release)
    before = brokers.state.as_text()
    assert ask(brokers, give("alice")) == [("alice", ErrorCode.NONE, message)]
    assert brokers.state.as_text() != before
    taking = AlterUserScramCredentialsRequest(
        deletions=[ScramCredentialDeletion(name="alice", mechanism=1)]
    )
    assert ask(brokers, taking) == [("alice", ErrorCode.NONE, message)]
    assert brokers.state.as_text() == before


def test_a_weak_credential_is_refused_and_not_stored() -> None:
    brokers = Brokers()
    before = brokers.state.as_text()
    assert ask(brokers, give("alice", iterations=1)) == [
        ("alice", ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations")
    ]
    assert brokers.state.as_text() == before


@pytest.mark.parametrize(
    ("release", "code"), [("4.4", ErrorCode.NONE), ("2.8", ErrorCode.NOT_CONTROLLER)]
)
def test_with_zookeeper_only_the_controller_accepts_the_request(
    release: str, code: ErrorCode
) -> None:
    brokers = Brokers(brokers=2, release=release)
    ((_, found, _),) = ask(brokers, give("alice"), broker_id=2)
    assert found == code
