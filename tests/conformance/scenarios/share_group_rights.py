"""Rights to share groups (KIP-932), their offsets and the topics that their members fetch.

All clients are `User:ANONYMOUS`, and have every right that no ACL takes from them.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import initialize_share_group_state as initialize
from mockbroker.protocol.messages import read_share_group_state as read
from mockbroker.protocol.messages import read_share_group_state_summary as summary
from mockbroker.protocol.messages import request_type
from mockbroker.protocol.messages import write_share_group_state as write
from mockbroker.protocol.messages.delete_share_group_state import (
    DeleteShareGroupStateRequest,
    DeleteStateData,
)
from mockbroker.protocol.messages.delete_share_group_state import (
    PartitionData as DeletedPartition,
)
from mockbroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from mockbroker.protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)
from mockbroker.protocol.messages.share_acknowledge import (
    AcknowledgementBatch,
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from mockbroker.protocol.messages.share_fetch import AcknowledgementBatch as FetchedBatch
from mockbroker.protocol.messages.share_fetch import (
    FetchPartition,
    FetchTopic,
    ShareFetchRequest,
    ShareFetchResponse,
)
from mockbroker.protocol.messages.share_group_describe import ShareGroupDescribeRequest
from mockbroker.protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from mockbroker.protocol.schema.message import Message
from mockbroker.state.security.acl import Permission
from tests.conformance.acls import (
    CLOSED,
    MISSING,
    OPEN,
    OPEN_TO_ALL,
    SEEN,
    TOPICS,
    Kind,
    Op,
    acl,
    add_acls,
    ask_versions,
    deny_topics,
    remove_acls,
)
from tests.conformance.batches import plain
from tests.conformance.groups import await_group
from tests.conformance.requests import produce
from tests.conformance.scenarios.share_coordinator import persister
from tests.conformance.script import scenario
from tests.conformance.share_groups import (
    AT_ONCE,
    ShareMember,
    alter_offsets,
    delete_offsets,
    describe_offsets,
    describe_share,
    settle,
)
from tests.conformance.share_members import ACCEPT, FINAL, MEMBER, RELEASE
from tests.conformance.talk import Talk

NEWEST = ("4.4",)
GROUPS = ("g-open", "g-closed", "g-of-closed")


def joining(group: str, *topics: str, member_id: str = "member-z") -> ShareGroupHeartbeatRequest:
    """Build the first heartbeat of a member."""
    return ShareGroupHeartbeatRequest(
        group_id=group, member_id=member_id, member_epoch=0, subscribed_topic_names=list(topics)
    )


@scenario(authorizer=True, settings={**AT_ONCE, **OPEN_TO_ALL}, presets=NEWEST, alone=True)
def rights_to_share_groups(talk: Talk) -> None:
    for name in (OPEN, CLOSED, SEEN):
        talk.topic(name)
    await_group(talk, *GROUPS, "g-of-missing")
    closed = ShareMember(talk=talk, group="g-closed", topics=(OPEN,))
    hidden = ShareMember(talk=talk, group="g-of-closed", topics=(OPEN, CLOSED))
    settle([closed], 1)
    settle([hidden], 2)
    talk.quietly(joining("g-of-missing", MISSING), 1)
    deny_topics(talk)
    add_acls(talk, acl(Kind.GROUP, "g-closed"))
    for topics in ([CLOSED], [OPEN, CLOSED], [MISSING], [SEEN, OPEN]):
        talk.ask(f"join g-open with {' '.join(topics)}", joining("g-open", *topics), 1)
    closed.beat("in a group that is closed")
    hidden.beat("with a topic that is closed")
    hidden.subscribe("subscribes to it again", OPEN, CLOSED)
    talk.ask("join g-closed with closed", joining("g-closed", CLOSED), 1)
    talk.ask("no member id in g-closed", joining("g-closed", OPEN, member_id=""), 1)
    talk.ask("no member id with closed", joining("g-open", CLOSED, member_id=""), 1)
    talk.ask("no group id with closed", joining("", CLOSED), 1)
    for group in (*GROUPS, "g-of-missing", "g-missing"):
        describe_share(talk, group, group)
    describe_share(talk, "all", *GROUPS, "g-closed", authorized=True)
    add_acls(talk, acl(Kind.GROUP, "g-open", Op.READ, Permission.ALLOW))
    describe_share(talk, "with the right to read", "g-open", authorized=True)
    add_acls(talk, acl(Kind.GROUP, "g-open", Op.DESCRIBE))
    describe_share(talk, "without the right to describe", "g-open", authorized=True)
    closed.leave("leaves a group that is closed")
    remove_acls(talk)
    talk.ask("described", ShareGroupDescribeRequest(group_ids=["g-closed", "g-of-closed"]), 1)


@scenario(authorizer=True, settings={**AT_ONCE, **OPEN_TO_ALL}, presets=NEWEST, alone=True)
def rights_to_share_offsets(talk: Talk) -> None:
    for name in (OPEN, CLOSED, SEEN):
        talk.topic(name)
    groups = ("g-open", "g-closed")
    await_group(talk, *groups, "g-new")
    for group in groups:
        member = ShareMember(talk=talk, group=group, topics=(OPEN, CLOSED, SEEN))
        settle([member], 3)
        talk.quietly(member.request(epoch=-1), 1)
    deny_topics(talk)
    add_acls(talk, acl(Kind.GROUP, "g-closed"))
    wanted: Mapping[str, Sequence[int]] = {name: [0] for name in TOPICS}
    for group in groups:
        for name in TOPICS:
            indexes = [0] if name in {OPEN, SEEN} else [0, 1]
            describe_offsets(talk, f"{name} of {group}", group, {name: indexes})
        describe_offsets(talk, f"named topics of {group}", group, wanted)
        describe_offsets(talk, f"all topics of {group}", group)
        describe_offsets(talk, f"no topics of {group}", group, {})
    several = DescribeShareGroupOffsetsRequest(
        groups=[
            DescribeShareGroupOffsetsRequestGroup(group_id=group, topics=None)
            for group in ("g-closed", "g-open", "g-missing")
        ]
    )
    ask_versions(talk, "all topics of several groups", several)
    for group in (*groups, "g-new"):
        alter_offsets(talk, f"alter closed of {group}", group, {CLOSED: {0: 0, 1: 0}})
        describe_share(talk, f"not altered {group}", group)
        offsets = {name: {0: 0, 7: 0} for name in (OPEN, SEEN, CLOSED, MISSING, "missing")}
        alter_offsets(talk, f"alter some of {group}", group, offsets)
        alter_offsets(talk, f"alter open of {group}", group, {OPEN: {0: 0}})
        describe_share(talk, f"altered {group}", group)
    alter_offsets(talk, "alter closed without a group", "", {CLOSED: {0: 0}})
    for group in (*groups, "g-missing"):
        delete_offsets(talk, f"delete closed of {group}", group, CLOSED)
        some = (OPEN, SEEN, CLOSED, MISSING, "missing")
        delete_offsets(talk, f"delete some of {group}", group, *some)
        delete_offsets(talk, f"delete closed twice of {group}", group, CLOSED, CLOSED)
    remove_acls(talk)
    for group in groups:
        describe_offsets(talk, f"left of {group}", group)


def fetching(
    talk: Talk,
    topics: Mapping[str, Sequence[tuple[int, int, int]]],
    epoch: int = 0,
    *,
    group: str | None = "g",
    member_id: str = MEMBER,
) -> ShareFetchRequest:
    """Build a ShareFetch of partition 0 of topics, with acknowledgements."""
    return ShareFetchRequest(
        group_id=group,
        member_id=member_id,
        share_session_epoch=epoch,
        max_bytes=1 << 20,
        max_records=100,
        batch_size=100,
        topics=[
            FetchTopic(
                topic_id=talk.id_of(name),
                partitions=[
                    FetchPartition(
                        partition_index=0,
                        acknowledgement_batches=[
                            FetchedBatch(
                                first_offset=first, last_offset=last, acknowledge_types=[kind]
                            )
                            for first, last, kind in batches
                        ],
                    )
                ],
            )
            for name, batches in topics.items()
        ],
    )


def acknowledging(
    talk: Talk,
    topics: Mapping[str, Sequence[tuple[int, int, int]]],
    epoch: int,
    *,
    group: str | None = "g",
    member_id: str = MEMBER,
) -> ShareAcknowledgeRequest:
    """Build a ShareAcknowledge of partition 0 of topics."""
    return ShareAcknowledgeRequest(
        group_id=group,
        member_id=member_id,
        share_session_epoch=epoch,
        topics=[
            AcknowledgeTopic(
                topic_id=talk.id_of(name),
                partitions=[
                    AcknowledgePartition(
                        partition_index=0,
                        acknowledgement_batches=[
                            AcknowledgementBatch(
                                first_offset=first, last_offset=last, acknowledge_types=[kind]
                            )
                            for first, last, kind in batches
                        ],
                    )
                ],
            )
            for name, batches in topics.items()
        ],
    )


def _has_partitions(answer: Message) -> bool:
    assert isinstance(answer, ShareFetchResponse), answer
    found = [each.error_code for topic in answer.responses for each in topic.partitions]
    return len(found) == len(TOPICS) - 1 and not any(found)


def store(talk: Talk, *names: str) -> None:
    """Have share partitions loaded, and produce four records to each."""
    loading = fetching(talk, dict.fromkeys(names, ()), member_id="loading")
    talk.until_quietly(loading, 1, _has_partitions)
    talk.quietly(fetching(talk, {}, FINAL, member_id="loading"), 1)
    for name in names:
        for number in range(4):
            data = plain(b"record %d" % number, at_ms=talk.at(0))
            talk.quietly(produce(talk, (name, 0, data)), 3)


@scenario(authorizer=True, settings={**AT_ONCE, **OPEN_TO_ALL}, presets=NEWEST, alone=True)
def rights_to_share_fetches(talk: Talk) -> None:
    for name in (OPEN, CLOSED, SEEN):
        talk.topic(name)
    await_group(talk, "g", "g-closed")
    one = ShareMember(talk=talk, group="g", topics=(OPEN, CLOSED, SEEN))
    settle([one], 3)
    store(talk, OPEN, CLOSED, SEEN)
    deny_topics(talk)
    add_acls(talk, acl(Kind.GROUP, "g-closed"))
    for name in (CLOSED, SEEN, "missing"):
        talk.ask(f"fetch {name}", fetching(talk, {name: ()}), 1)
    talk.ask("fetch on after missing", fetching(talk, {}, 1), 1)
    talk.ask("fetch open after missing", fetching(talk, {OPEN: ()}, 1), 1)
    talk.ask("fetch all", fetching(talk, dict.fromkeys((CLOSED, OPEN), ())), 2)
    talk.ask("fetch on", fetching(talk, {}, 1), 1)
    both = {CLOSED: [(0, 0, ACCEPT)], OPEN: [(0, 0, ACCEPT)]}
    talk.ask("acknowledge in a fetch", fetching(talk, both, 2), 1)
    talk.ask("acknowledge closed in a fetch", fetching(talk, {CLOSED: [(0, 0, 1)]}, 3), 1)
    talk.ask("acknowledge with none of closed", acknowledging(talk, {**both, SEEN: ()}, 4), 1)
    talk.ask("acknowledge closed", acknowledging(talk, {CLOSED: [(1, 1, ACCEPT)]}, 5), 1)
    invalid = acknowledging(talk, {CLOSED: [(1, 0, ACCEPT)], "missing": ()}, 6)
    talk.ask("acknowledge closed and invalid", invalid, 1)
    released = acknowledging(talk, {OPEN: [(1, 3, RELEASE)]}, 7)
    talk.ask("release open", released, 1)
    ask_of_closed_group(talk)
    end_sessions(talk, both)
    delete_during_session(talk)


def ask_of_closed_group(talk: Talk) -> None:
    """Fetch and acknowledge in a group without the right to it."""
    for title, epoch, member_id in (
        ("", 0, MEMBER),
        (" without a member", 0, ""),
        (" without a session", 5, MEMBER),
    ):
        request = fetching(talk, {OPEN: ()}, epoch, group="g-closed", member_id=member_id)
        talk.ask(f"fetch in g-closed{title}", request, 1)
        told = acknowledging(
            talk, {OPEN: [(0, 0, ACCEPT)]}, epoch, group="g-closed", member_id=member_id
        )
        talk.ask(f"acknowledge in g-closed{title}", told, 1)


def end_sessions(talk: Talk, both: Mapping[str, Sequence[tuple[int, int, int]]]) -> None:
    """End sessions with topics that may not be read, and with one that is missing."""
    talk.ask("begin a session", fetching(talk, {OPEN: ()}), 1)
    talk.ask("end the session with missing", fetching(talk, {"missing": ()}, FINAL), 1)
    talk.ask("end the session with closed", fetching(talk, {CLOSED: ()}, FINAL), 1)
    talk.wait_a_moment(10)
    talk.ask("begin again", fetching(talk, {OPEN: ()}), 1)
    missing = acknowledging(talk, {"missing": ()}, FINAL)
    talk.ask("end the session with an acknowledgement of missing", missing, 1)
    talk.ask("fetch in no group", fetching(talk, {CLOSED: ()}, group=None), 1)
    talk.ask("acknowledge in no group", acknowledging(talk, both, 1, group=None), 1)
    talk.ask("end the session with an acknowledgement", acknowledging(talk, both, FINAL), 1)
    talk.wait_a_moment(10)
    remove_acls(talk)


def delete_during_session(talk: Talk) -> None:
    """Delete a topic of a session whose member has every right."""
    talk.ask("fetch closed with all rights", fetching(talk, {CLOSED: ()}), 1)
    talk.ask("fetch on with an open topic", fetching(talk, {OPEN: ()}, 1), 1)
    deletion = DeleteTopicsRequest(
        topics=[DeleteTopicState(name=CLOSED)], topic_names=[CLOSED], timeout_ms=10_000
    )
    talk.quietly(deletion, talk.latest(ApiKey.DELETE_TOPICS))
    talk.wait_a_moment(10)
    talk.ask("fetch on when closed is deleted", fetching(talk, {}, 2), 1)
    talk.ask("fetch on, again", fetching(talk, {}, 3), 1)
    told = acknowledging(talk, {CLOSED: [(0, 0, ACCEPT)]}, 4)
    talk.ask("acknowledge what is deleted", told, 1)


def of_states(topic_id: UUID) -> list[Message]:
    """Build requests of share-partition leaders for two partitions of a topic."""
    return [
        initialize.InitializeShareGroupStateRequest(
            group_id="g",
            topics=[
                initialize.InitializeStateData(
                    topic_id=topic_id, partitions=[initialize.PartitionData(partition=index)]
                )
                for index in (0, 3)
            ],
        ),
        read.ReadShareGroupStateRequest(
            group_id="g",
            topics=[
                read.ReadStateData(
                    topic_id=topic_id, partitions=[read.PartitionData(partition=index)]
                )
                for index in (0, 3)
            ],
        ),
        write.WriteShareGroupStateRequest(
            group_id="g",
            topics=[
                write.WriteStateData(
                    topic_id=topic_id,
                    partitions=[write.PartitionData(partition=0), write.PartitionData(partition=3)],
                )
            ],
        ),
        DeleteShareGroupStateRequest(
            group_id="g",
            topics=[
                DeleteStateData(
                    topic_id=topic_id,
                    partitions=[DeletedPartition(partition=0), DeletedPartition(partition=3)],
                )
            ],
        ),
        summary.ReadShareGroupStateSummaryRequest(
            group_id="g",
            topics=[
                summary.ReadStateSummaryData(
                    topic_id=topic_id,
                    partitions=[summary.PartitionData(partition=index) for index in (0, 3)],
                )
            ],
        ),
    ]


@scenario(authorizer=True, settings=OPEN_TO_ALL, presets=NEWEST, alone=True)
def rights_to_share_states(talk: Talk) -> None:
    asking = persister(talk)
    topic_id = asking.topic_id
    asking.initialize("allowed", state_epoch=1, start_offset=0)
    allowed = acl(Kind.CLUSTER, operation=Op.ALTER, permission=Permission.ALLOW)
    add_acls(talk, allowed, acl(Kind.CLUSTER, operation=Op.DESCRIBE, permission=Permission.ALLOW))
    for request in of_states(topic_id):
        assert request.API is not None
        ask_versions(talk, f"denied: {request.API.title}", request)
        without = request_type(request.API)()
        ask_versions(talk, f"denied, of no group: {request.API.title}", without)
