"""Rights to consumer groups (KIP-848) and to the topics that their members subscribe to.

All clients are `User:ANONYMOUS`, and have every right that no ACL takes from them.
"""

from mockbroker.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from mockbroker.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
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
)
from tests.conformance.consumer_groups import AT_ONCE
from tests.conformance.groups import await_group
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

GROUPS = ("g-open", "g-closed", "g-of-closed")
MEMBER = "AAAAAAAAAAAAAAAAAAAAAQ"


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
