"""DescribeUserScramCredentials lists the users with credentials and their iterations."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    UserName,
)
from mockbroker.state.client.scram_credential import (
    CredentialChange,
    CredentialKey,
    ScramCredential,
)
from tests.support.in_process import Brokers


def describe(brokers: Brokers, *users: str) -> DescribeUserScramCredentialsResponse:
    named = [UserName(name=user) for user in users] or None
    request = DescribeUserScramCredentialsRequest(users=named)
    return brokers.ask(request, 0, DescribeUserScramCredentialsResponse)


def test_users_are_described_and_unknown_ones_are_not_found() -> None:
    brokers = Brokers()
    credential = ScramCredential(8192, b"salt", b"salted")
    brokers.state.clients.credentials.alter(
        [CredentialChange(CredentialKey("alice", 2), credential)]
    )
    alice, bob = describe(brokers, "alice", "bob").results
    assert [(each.mechanism, each.iterations) for each in alice.credential_infos] == [(2, 8192)]
    assert (alice.error_code, alice.error_message) == (ErrorCode.NONE, "")
    assert (bob.error_code, bob.credential_infos) == (ErrorCode.RESOURCE_NOT_FOUND, [])
    assert [each.user for each in describe(brokers).results] == ["alice"]


def test_a_user_is_described_once() -> None:
    (alice,) = describe(Brokers(), "alice", "alice").results
    assert alice.error_code == ErrorCode.DUPLICATE_RESOURCE
