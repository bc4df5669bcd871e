"""Short forms of group requests, and clients of a group that send them in order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from struct import pack
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_groups import (
    DescribedGroup,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest
from mockbroker.protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from mockbroker.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from mockbroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from mockbroker.protocol.schema.message import Message
from tests.conformance.answers import error_codes
from tests.conformance.patience import UNREADY
from tests.conformance.steps import Pending
from tests.conformance.talk import Talk
from tests.conformance.transactions import await_coordinator
from tests.conformance.wire import Answer

NOBODY: Final = "nobody"
"""A member id that no coordinator has given out."""
ID_REQUIRED_FROM: Final = 4
"""The version of JoinGroup from which a member first requests its id (KIP-394)."""
SESSION_TIMEOUT_MS: Final = 30_000
REBALANCE_TIMEOUT_MS: Final = 60_000
ARRIVAL_MOMENTS: Final = 6


def subscription(user_data: bytes, *topics: bytes) -> bytes:
    """Return a consumer's metadata; with other metadata, 3.9 never ends a rebalance."""
    names = b"".join(pack(">h", len(topic)) + topic for topic in topics)
    return pack(">hi", 0, len(topics)) + names + pack(">i", len(user_data)) + user_data


def await_group(talk: Talk, *groups: str) -> None:
    """Wait until the group coordinators exist and have loaded their state."""

    def is_ready(answer: Message) -> bool:
        return UNREADY.isdisjoint(error_codes(answer))

    for group in groups:
        await_coordinator(talk, group, 0)
        talk.until_quietly(DescribeGroupsRequest(groups=[group]), 0, is_ready)


def await_described(
    talk: Talk, group: str, condition: Callable[[DescribedGroup], bool]
) -> DescribedGroup:
    """Wait until a group's description shows that another connection's request arrived."""
    found: list[DescribedGroup] = []

    def is_so(answer: Message) -> bool:
        found[:] = talk.expect(DescribeGroupsResponse, answer).groups
        return condition(found[0])

    talk.until_quietly(DescribeGroupsRequest(groups=[group]), 0, is_so)
    return found[0]


def await_state(talk: Talk, group: str, state: str, *, members: int | None = None) -> None:
    """Wait until a group has a state and a number of members."""
    await_described(
        talk,
        group,
        lambda found: found.group_state == state and members in {None, len(found.members)},
    )


def is_rebalancing(talk: Talk, group: str) -> bool:
    """Return whether a group waits for its members to join."""
    return await_described(talk, group, lambda _: True).group_state == "PreparingRebalance"


def let_arrive(talk: Talk) -> None:
    """Wait a moment for a request on another connection, whose arrival is not visible."""
    talk.wait_a_moment(ARRIVAL_MOMENTS)


def describe(talk: Talk, title: str, *groups: str, authorized: bool = False) -> None:
    """Record the newest DescribeGroups response as a step."""
    request = DescribeGroupsRequest(groups=list(groups), include_authorized_operations=authorized)
    talk.ask_patiently(f"{title}: described", request, talk.latest(ApiKey.DESCRIBE_GROUPS))


def commit_topics(
    talk: Talk, offsets: Sequence[tuple[str, int, int]]
) -> list[OffsetCommitRequestTopic]:
    """Return the topics of an OffsetCommit, with offsets as (topic, partition, offset)."""
    topics: dict[str, OffsetCommitRequestTopic] = {}
    for name, index, offset in offsets:
        topic = topics.setdefault(
            name, OffsetCommitRequestTopic(name=name, topic_id=talk.id_of(name))
        )
        topic.partitions.append(
            OffsetCommitRequestPartition(
                partition_index=index, committed_offset=offset, committed_metadata="m"
            )
        )
    return list(topics.values())


@dataclass(slots=True, kw_only=True)
class Client:
    """A client of a group with its own connection; it uses the state in its responses."""

    talk: Talk
    group: str
    name: str = "a"
    instance_id: str | None = None
    protocol_type: str = "consumer"
    protocols: Sequence[tuple[str, bytes]] = ()
    """Names of protocols, with the subscription, which is sent as a consumer's user data."""
    sends_raw: bool = False
    """True if it sends its metadata unchanged."""
    session_timeout_ms: int = SESSION_TIMEOUT_MS
    rebalance_timeout_ms: int = REBALANCE_TIMEOUT_MS
    versions: Mapping[ApiKey, int] = field(default_factory=dict[ApiKey, int])
    """Versions of APIs that differ from the newest ones."""
    member_id: str = ""
    generation: int = -1
    protocol: str = "range"
    reason: str | None = None

    def version(self, api_key: ApiKey) -> int:
        """Return the version of a request."""
        return self.versions.get(api_key, self.talk.latest(api_key))

    def begin(self, title: str, request: Message) -> Pending:
        """Send a request, without reading the response yet."""
        assert request.API is not None
        version = self.version(request.API)
        return self.talk.begin(
            f"{self.name}: {title}", request, version, connection=f"{self.group} {self.name}"
        )

    def ask(self, title: str, request: Message) -> Answer:
        """Send a request, and read the response."""
        return self.talk.finish(self.begin(title, request))

    # Joining.

    def join_request(self, *, member_id: str | None = None) -> JoinGroupRequest:
        """Build a request to join the group, or its next generation."""
        protocols = self.protocols or (("range", f"wants of {self.name}".encode()),)
        return JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=self.session_timeout_ms,
            rebalance_timeout_ms=self.rebalance_timeout_ms,
            member_id=self.member_id if member_id is None else member_id,
            group_instance_id=self.instance_id,
            protocol_type=self.protocol_type,
            protocols=[
                JoinGroupRequestProtocol(
                    name=name, metadata=metadata if self.sends_raw else subscription(metadata)
                )
                for name, metadata in protocols
            ],
            reason=self.reason,
        )

    def needs_id(self) -> bool:
        """Return whether the first JoinGroup only assigns a member id."""
        return (
            not self.member_id
            and self.instance_id is None
            and self.version(ApiKey.JOIN_GROUP) >= ID_REQUIRED_FROM
        )

    def get_id(self, title: str = "gets an id") -> None:
        """Get a member id, without joining."""
        answer = self.talk.expect(JoinGroupResponse, self.ask(title, self.join_request()))
        assert answer.error_code == ErrorCode.MEMBER_ID_REQUIRED, answer
        self.member_id = answer.member_id

    def begin_join(self, title: str = "joins") -> Pending:
        """Send JoinGroup; the response may wait for others."""
        if self.needs_id():
            self.get_id()
        return self.begin(title, self.join_request())

    def finish_join(self, pending: Pending) -> Answer:
        """Read the response, and store member id and generation."""
        answer = self.talk.finish(pending)
        if isinstance(answer, JoinGroupResponse) and answer.error_code == ErrorCode.NONE:
            self.member_id = answer.member_id
            self.generation = answer.generation_id
            self.protocol = answer.protocol_name or ""
        return answer

    def join(self, title: str = "joins") -> Answer:
        """Join the group."""
        return self.finish_join(self.begin_join(title))

    # What members do.

    def sync_request(
        self,
        *assigned: "Client",
        generation: int | None = None,
        names: tuple[str | None, str | None] | None = None,
    ) -> SyncGroupRequest:
        """Build a SyncGroup request; the leader assigns partitions to members."""
        protocol_type, protocol_name = names or (self.protocol_type, self.protocol)
        return SyncGroupRequest(
            group_id=self.group,
            generation_id=self.generation if generation is None else generation,
            member_id=self.member_id,
            group_instance_id=self.instance_id,
            protocol_type=protocol_type,
            protocol_name=protocol_name,
            assignments=[
                SyncGroupRequestAssignment(
                    member_id=each.member_id, assignment=f"work of {each.name}".encode()
                )
                for each in assigned
            ],
        )

    def sync(self, *assigned: "Client", title: str = "syncs") -> Answer:
        """Get an assignment."""
        return self.ask(title, self.sync_request(*assigned))

    def heartbeat_request(
        self, *, generation: int | None = None, member_id: str | None = None
    ) -> HeartbeatRequest:
        """Build a Heartbeat request."""
        return HeartbeatRequest(
            group_id=self.group,
            generation_id=self.generation if generation is None else generation,
            member_id=self.member_id if member_id is None else member_id,
            group_instance_id=self.instance_id,
        )

    def heartbeat(self, title: str = "beats") -> Answer:
        """Send a Heartbeat."""
        return self.ask(title, self.heartbeat_request())

    def leave_request(self, *others: "Client", reason: str | None = None) -> LeaveGroupRequest:
        """Build a LeaveGroup request, with several members if the version allows it."""
        return LeaveGroupRequest(
            group_id=self.group,
            member_id=self.member_id,
            members=[
                MemberIdentity(
                    member_id=each.member_id, group_instance_id=each.instance_id, reason=reason
                )
                for each in (self, *others)
            ],
        )

    def leave(self, title: str = "leaves") -> Answer:
        """Leave the group."""
        return self.ask(title, self.leave_request())

    def commit_request(
        self,
        *offsets: tuple[str, int, int],
        generation: int | None = None,
        member_id: str | None = None,
    ) -> OffsetCommitRequest:
        """Build a member's OffsetCommit, with offsets as (topic, partition, offset)."""
        return OffsetCommitRequest(
            group_id=self.group,
            generation_id_or_member_epoch=self.generation if generation is None else generation,
            member_id=self.member_id if member_id is None else member_id,
            group_instance_id=self.instance_id,
            topics=commit_topics(self.talk, offsets),
        )

    def commit(self, *offsets: tuple[str, int, int], title: str = "commits") -> Answer:
        """Commit offsets as a member."""
        return self.ask(title, self.commit_request(*offsets))


def stable_group(first: Client, *others: Client) -> None:
    """Create a stable group: the first member leads, the others join one after the other."""
    first.join()
    first.sync(first)
    members = [first]
    for other in others:
        rebalance(other, *members)
        members.append(other)


def rebalance(joining: Client, *members: Client) -> None:
    """Let one client join a stable group, until the group is stable again."""
    leader, *followers = members
    pending = joining.begin_join()
    await_state(joining.talk, joining.group, "PreparingRebalance")
    joins = [(each, each.begin_join("joins again")) for each in (leader, *followers)]
    for each, waiting in [*joins, (joining, pending)]:
        each.finish_join(waiting)
    syncs = [(each, each.begin("syncs", each.sync_request())) for each in (*followers, joining)]
    leader.sync(leader, *followers, joining)
    for each, waiting in syncs:
        each.talk.finish(waiting)
