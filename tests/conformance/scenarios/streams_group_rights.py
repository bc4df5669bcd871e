"""Rights to streams groups (KIP-1071), and to the topics of their topologies.

All clients are `User:ANONYMOUS`, and have every right that no ACL takes from them.
"""

from mockbroker.protocol.messages.streams_group_describe import StreamsGroupDescribeRequest
from mockbroker.protocol.messages.streams_group_heartbeat import Subtopology
from mockbroker.protocol.messages.streams_group_topology_description_update import (
    StreamsGroupTopologyDescriptionUpdateRequest,
    TopologyDescription,
)
from mockbroker.state.security.acl import Permission
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
    kept_rights,
    remove_acls,
)
from tests.conformance.groups import await_group
from tests.conformance.script import scenario
from tests.conformance.streams_groups import (
    AT_ONCE,
    StreamsMember,
    await_topics,
    describe_streams,
    internal,
    simple,
)
from tests.conformance.talk import Talk

NEWEST = ("4.4",)
GROUPS = ("g-open", "g-closed", "g-of-closed", "g-of-missing")

TOPOLOGIES = {
    "reads closed": [simple(CLOSED)],
    "reads open and closed": [simple(OPEN, CLOSED)],
    "reads closed in the second part": [simple(OPEN), simple(CLOSED, name="1")],
    "reads what is missing and closed": [simple(MISSING)],
    "repartitions to closed": [simple(OPEN, sinks=[CLOSED])],
    "repartitions from closed": [
        simple(OPEN, sinks=[OPEN]),
        Subtopology(subtopology_id="1", repartition_source_topics=[internal(CLOSED)]),
    ],
    "logs changes to closed": [simple(OPEN, changelogs=[CLOSED])],
    "reads an internal topic and closed": [simple("__consumer_offsets", CLOSED)],
    "reads an invalid topic and closed": [simple("in put", CLOSED)],
    "reads nothing": [],
}


@scenario(authorizer=True, settings={**AT_ONCE, **OPEN_TO_ALL}, presets=NEWEST, alone=True)
def rights_to_streams_groups(talk: Talk) -> None:
    for name in (OPEN, CLOSED, SEEN):
        talk.topic(name)
    await_group(talk, *GROUPS, "g-any", "g-seen")
    closed, hidden, missing = (
        StreamsMember(talk=talk, group=group, topology=[simple(*topics)])
        for group, topics in (
            ("g-closed", [OPEN]),
            ("g-of-closed", [OPEN, CLOSED]),
            ("g-of-missing", [OPEN, MISSING]),
        )
    )
    for each in (closed, hidden, missing):
        each.join(f"joins {each.group}")
    deny_topics(talk)
    add_acls(talk, acl(Kind.GROUP, "g-closed"))
    for title, topology in TOPOLOGIES.items():
        StreamsMember(talk=talk, group="g-any", topology=topology).join(title)
    closed.beat("in a group that is closed")
    closed.join("joins a group that is closed")
    StreamsMember(talk=talk, group="g-closed", topology=[simple(CLOSED)]).join("closed in both")
    hidden.beat("with a topic that is closed")
    hidden.join("joins again with a topic that is closed")
    StreamsMember(talk=talk, group="", topology=[simple(CLOSED)]).join("no group")
    StreamsMember(talk=talk, group="g-seen", topology=[simple(SEEN)]).join("reads seen")
    StreamsMember(talk=talk, group="g-open", topology=[simple(OPEN)]).join("reads open")
    for group in (*GROUPS, "g-missing", ""):
        describe_streams(talk, group, group)
    everything = StreamsGroupDescribeRequest(
        group_ids=[*GROUPS, "g-closed"], include_authorized_operations=True
    )
    ask_versions(talk, "describe all", everything)
    operations = StreamsGroupDescribeRequest(
        group_ids=["g-open"],
        include_authorized_operations=True,
        include_topology_description=True,
    )
    add_acls(talk, acl(Kind.GROUP, "g-open", Op.DELETE, Permission.ALLOW))
    ask_versions(talk, "describe with the right to delete", operations)
    for group in ("g-open", "g-closed"):
        update = StreamsGroupTopologyDescriptionUpdateRequest(
            group_id=group,
            member_id="member-a",
            topology_epoch=0,
            topology_description=TopologyDescription(),
        )
        ask_versions(talk, f"update the description of {group}", update)
    closed.leave("leaves a group that is closed")
    hidden.leave()


def app(*changelogs: str) -> list[Subtopology]:
    """Build a topology with changelogs, which the broker creates."""
    return [simple(OPEN, changelogs=changelogs)]


@scenario(authorizer=True, settings={**AT_ONCE, **OPEN_TO_ALL}, presets=NEWEST, alone=True)
def rights_to_create_internal_topics(talk: Talk) -> None:
    talk.topic(OPEN)
    groups = ("g-no", "g-some", "g-none", "g-two", "g-cluster")
    await_group(talk, *groups)
    locked = ("log-a-locked", "log-b-locked", "log-c-locked")
    add_acls(
        talk,
        *(acl(Kind.TOPIC, name, Op.CREATE) for name in locked),
        *(acl(Kind.TOPIC, name, Op.DESCRIBE, Permission.ALLOW) for name in locked),
        acl(Kind.CLUSTER, operation=Op.CREATE),
        *kept_rights(),
    )
    for group, logs in {
        "g-no": locked[:1],
        "g-two": locked,
        "g-some": ("log-b-locked", "log-open"),
        "g-none": ("log-other",),
    }.items():
        member = StreamsMember(talk=talk, group=group, topology=app(*logs))
        member.join(f"joins {group}")
        if group == "g-none":
            await_topics(talk, *logs)
        member.beat(f"beats in {group}", {})
        describe_streams(talk, group, group)
    remove_acls(talk)
    add_acls(
        talk,
        *(acl(Kind.TOPIC, name, Op.CREATE) for name in locked),
        *(acl(Kind.TOPIC, name, Op.DESCRIBE, Permission.ALLOW) for name in locked),
    )
    member = StreamsMember(talk=talk, group="g-cluster", topology=app(*locked))
    member.join("joins with the right to the cluster")
    await_topics(talk, *locked)
    member.beat("with topics that were created", {})
