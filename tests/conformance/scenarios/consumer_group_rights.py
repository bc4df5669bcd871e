"""Rights to consumer groups (KIP-848) and to the topics that their members subscribe to.

All clients are `User:ANONYMOUS`, and have every right that no ACL takes from them.
"""

from mockbroker.protocol.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from mockbroker.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from mockbroker.protocol.messages.create_acls import AclCreation
from mockbroker.protocol.schema.message import Message
from mockbroker.state.security.acl import WILDCARD, WILDCARD_PRINCIPAL, Permission
from tests.conformance.acls import (
    CLOSED,
    MISSING,
    OPEN,
    OPEN_TO_ALL,
    SEEN,
    Kind,
    Op,
    acl,
    add_acls,
    ask_versions,
    deny_topics,
    remove_acls,
)
from tests.conformance.consumer_groups import AT_ONCE, Member, describe_consumers
from tests.conformance.groups import await_group
from tests.conformance.sasl import AUTHENTICATED, LISTENER, SaslClient
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

GROUPS = ("g-open", "g-closed", "g-of-closed")
MEMBER = "AAAAAAAAAAAAAAAAAAAAAQ"
REFRESH_MS = 10_000
EXPRESSIONS = {
    **AT_ONCE,
    **OPEN_TO_ALL,
    "group.consumer.regex.refresh.interval.ms": str(REFRESH_MS),
}


def joining(
    group: str, *topics: str, expression: str | None = None
) -> ConsumerGroupHeartbeatRequest:
    """Build the first heartbeat of a member."""
    return ConsumerGroupHeartbeatRequest(
        group_id=group,
        member_id=MEMBER,
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=list(topics),
        subscribed_topic_regex=expression,
        topic_partitions=[],
    )


@scenario(authorizer=True, settings={**AT_ONCE, **OPEN_TO_ALL}, presets=("4.4",), alone=True)
def rights_to_consumer_groups(talk: Talk) -> None:
    for name in (OPEN, CLOSED, SEEN):
        talk.topic(name)
    await_group(talk, *GROUPS)
    talk.quietly(joining("g-closed", OPEN), 1)
    talk.quietly(joining("g-of-closed", OPEN, CLOSED), 1)
    deny_topics(talk)
    add_acls(talk, acl(Kind.GROUP, "g-closed"))
    for topics in ([CLOSED], [OPEN, CLOSED], [MISSING], [SEEN, OPEN]):
        request = joining("g-open", *topics)
        ask_versions(talk, f"join g-open with {' '.join(topics)}", request)
    for group in ("g-closed", "g-of-closed"):
        request = ConsumerGroupHeartbeatRequest(group_id=group, member_id=MEMBER, member_epoch=1)
        ask_versions(talk, f"heartbeat in {group}", request)
    ask_versions(talk, "join g-closed with closed", joining("g-closed", CLOSED))
    for group in (*GROUPS, "g-missing"):
        ask_versions(talk, f"describe {group}", ConsumerGroupDescribeRequest(group_ids=[group]))
    described = ConsumerGroupDescribeRequest(
        group_ids=[*GROUPS, "g-closed"], include_authorized_operations=True
    )
    ask_versions(talk, "describe all", described)
    add_acls(talk, acl(Kind.GROUP, "g-open", Op.DELETE))
    ask_versions(
        talk,
        "describe without the right to delete",
        ConsumerGroupDescribeRequest(group_ids=["g-open"], include_authorized_operations=True),
    )


def await_epoch(talk: Talk, group: str, epoch: int) -> None:
    """Wait until the expressions of a group are resolved, which begins an epoch."""

    def has_begun(answer: Message) -> bool:
        (described,) = talk.expect(ConsumerGroupDescribeResponse, answer).groups
        return described.group_epoch == epoch

    talk.until_quietly(ConsumerGroupDescribeRequest(group_ids=[group]), 1, has_begun)


@scenario(authorizer=True, settings=EXPRESSIONS, presets=("4.4",), alone=True)
def expressions_match_topics_that_may_be_described(talk: Talk) -> None:
    for name in ("red-open", "red-closed", "red-seen"):
        talk.topic(name)
    await_group(talk, "g")
    add_acls(
        talk,
        acl(Kind.TOPIC, "red-closed", Op.DESCRIBE),
        acl(Kind.TOPIC, "red-seen", Op.DESCRIBE, Permission.ALLOW),
    )
    member = Member(talk=talk, group="g", topics=None, regex="red-.*")
    member.join()
    await_epoch(talk, "g", 2)
    member.beat("is told")
    describe_consumers(talk, "without a topic", "g")
    remove_acls(talk)
    add_acls(talk, acl(Kind.TOPIC, "red-seen"))
    member.beat("before the next refresh")
    describe_consumers(talk, "with other rights", "g")
    talk.let_time_pass(REFRESH_MS + 500)
    member.beat("has them refreshed")
    talk.wait_a_moment(20)
    remove_acls(talk)
    await_epoch(talk, "g", 3)
    member.beat("is told of the refresh", {"red-open": [0]})
    describe_consumers(talk, "with all rights", "g")


def of_user(user: str, creation: AclCreation) -> AclCreation:
    """Give an ACL to a user."""
    creation.principal = user
    return creation


@scenario(
    authorizer=True,
    listeners=(LISTENER,),
    settings={**EXPRESSIONS, **AUTHENTICATED},
    presets=("4.4",),
    alone=True,
)
def expressions_of_a_group_match_what_one_member_may_describe(talk: Talk) -> None:
    for name in ("red-1", "red-2", "red-3"):
        talk.topic(name, partitions=2)
    await_group(talk, "g")
    add_acls(
        talk,
        of_user(WILDCARD_PRINCIPAL, acl(Kind.TOPIC, WILDCARD, permission=Permission.ALLOW)),
        of_user("User:alice", acl(Kind.TOPIC, "red-1", Op.DESCRIBE)),
        of_user("User:bob", acl(Kind.TOPIC, "red-2", Op.DESCRIBE)),
    )
    alice, bob = (
        Member(talk=talk, group="g", name=name, topics=None, regex="red-.*", assignor="range")
        for name in ("alice", "bob")
    )
    for each in (alice, bob):
        each.connection = f"{LISTENER}/{each.name}"
        SaslClient(talk, each.name).log_in(each.name, f"secret of {each.name}")
    alice.join()
    await_epoch(talk, "g", 3)
    alice.beat("is told", {})
    describe_consumers(talk, "alice", "g")
    bob.join()
    describe_consumers(talk, "both", "g")
    talk.let_time_pass(REFRESH_MS + 500)
    bob.regex = "red-..?"
    bob.send("has another expression", bob.full_request({}))
    await_epoch(talk, "g", 5)
    describe_consumers(talk, "resolved for bob", "g")
    alice.beat("revokes what bob may not see", {"red-3": [0]})
    describe_consumers(talk, "resolved for bob, next", "g")
