"""SCRAM credentials: descriptions, and accepted and refused changes (KIP-554)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from mockbroker.protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from tests.conformance.releases import defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import CONTROLLER, Talk

SHA_256, SHA_512 = 1, 2
FEWEST = 4096
MOST = 16384


def upsertion(
    name: str,
    mechanism: int = SHA_256,
    *,
    iterations: int = FEWEST,
    salt: bytes = b"salt",
    salted_password: bytes = b"salted password",
) -> ScramCredentialUpsertion:
    """Describe a new credential of a user."""
    return ScramCredentialUpsertion(
        name=name,
        mechanism=mechanism,
        iterations=iterations,
        salt=salt,
        salted_password=salted_password,
    )


def deletion(name: str, mechanism: int = SHA_256) -> ScramCredentialDeletion:
    """Describe the deletion of a user's credential."""
    return ScramCredentialDeletion(name=name, mechanism=mechanism)


def alter(
    *changes: ScramCredentialUpsertion | ScramCredentialDeletion,
) -> AlterUserScramCredentialsRequest:
    """Build an AlterUserScramCredentials request."""
    return AlterUserScramCredentialsRequest(
        upsertions=[each for each in changes if isinstance(each, ScramCredentialUpsertion)],
        deletions=[each for each in changes if isinstance(each, ScramCredentialDeletion)],
    )


def describe(*names: str) -> DescribeUserScramCredentialsRequest:
    """Build a DescribeUserScramCredentials request."""
    return DescribeUserScramCredentialsRequest(users=[UserName(name=name) for name in names])


def ask_for_all(talk: Talk, when: str) -> None:
    """Describe all users, as soon as the last change is visible."""
    talk.wait_a_moment()
    talk.ask(f"all, {when}", DescribeUserScramCredentialsRequest(users=None), 0)


@scenario(alone=True, presets=defaults_since("2.8"))
def scram_credentials(talk: Talk) -> None:
    assert talk.latest(ApiKey.ALTER_USER_SCRAM_CREDENTIALS) == 0
    ask_for_all(talk, "when there is nobody")
    talk.ask("somebody, when there is nobody", describe("alice"), 0)
    talk.ask("give one", alter(upsertion("alice")), 0)
    ask_for_all(talk, "after the first")
    talk.ask("give another", alter(upsertion("alice", SHA_512, iterations=MOST)), 0)
    talk.ask("give two users one", alter(upsertion("bob"), upsertion("carol", SHA_512)), 0)
    ask_for_all(talk, "after some")
    talk.ask("none", describe(), 0)
    talk.ask("one", describe("alice"), 0)
    talk.ask("two", describe("alice", "bob"), 0)
    talk.ask("one and a stranger", describe("alice", "nobody"), 0)
    talk.ask("one twice", describe("alice", "bob", "alice"), 0)
    talk.ask("a stranger twice", describe("nobody", "nobody"), 0)
    talk.ask("one without a name", describe(""), 0)
    talk.ask("change one", alter(upsertion("alice", iterations=5000)), 0)
    talk.ask("take one and give one", alter(deletion("bob"), upsertion("dave")), 0)
    ask_for_all(talk, "after a change")
    talk.ask("take one of two", alter(deletion("alice", SHA_512)), 0)
    talk.ask("take it again", alter(deletion("alice", SHA_512)), 0)
    ask_for_all(talk, "after taking one")
    talk.ask("take all", alter(deletion("alice"), deletion("carol", SHA_512), deletion("dave")), 0)
    ask_for_all(talk, "after taking all")
    talk.ask("nothing at all", alter(), 0)


@scenario(alone=True, presets=defaults_since("2.8"))
def scram_credentials_that_are_refused(talk: Talk) -> None:
    talk.ask("give one", alter(upsertion("alice")), 0)
    for title, request in {
        "without a name": alter(upsertion("")),
        "of an unknown mechanism": alter(upsertion("bob", 0)),
        "of a mechanism that is none": alter(upsertion("bob", 99)),
        "with too few iterations": alter(upsertion("bob", iterations=FEWEST - 1)),
        "with no iterations": alter(upsertion("bob", iterations=0)),
        "with too many iterations": alter(upsertion("bob", iterations=MOST + 1)),
        "without salt": alter(upsertion("bob", salt=b"")),
        "without a password": alter(upsertion("bob", salted_password=b"")),
        "one good, one bad": alter(upsertion("bob"), upsertion("carol", iterations=1)),
        "one good, one bad of one user": alter(
            upsertion("bob"), upsertion("bob", SHA_512, iterations=1)
        ),
        "both mechanisms of one user": alter(upsertion("dave"), upsertion("dave", SHA_512)),
        "one twice": alter(upsertion("bob"), upsertion("bob")),
        "given and taken": alter(upsertion("alice"), deletion("alice")),
        "given and taken, of two mechanisms": alter(upsertion("alice", SHA_512), deletion("alice")),
        "taken twice": alter(deletion("alice"), deletion("alice")),
        "taken without a name": alter(deletion("")),
        "taken of an unknown mechanism": alter(deletion("alice", 0)),
        "taken of a mechanism that is none": alter(deletion("alice", 99)),
        "taken from a stranger": alter(deletion("nobody")),
        "taken from a stranger, and one taken": alter(deletion("nobody"), deletion("alice")),
        "of an odd name": alter(upsertion("a/b c=ü,")),
    }.items():
        talk.ask(title, request, 0)
        ask_for_all(talk, f"after {title}")


@scenario(brokers=2, presets=defaults_since("2.8"))
def scram_credentials_at_others_than_the_controller(talk: Talk) -> None:
    answer = talk.expect(MetadataResponse, talk.quietly(MetadataRequest(topics=[]), 1))
    other = 2 if answer.controller_id == 1 else 1
    for broker, role in [(CONTROLLER, "the controller"), (other, "another broker")]:
        talk.roles[broker] = role
        talk.ask("give one", alter(upsertion("alice")), 0, broker=broker)
        talk.ask("take it", alter(deletion("alice")), 0, broker=broker)
