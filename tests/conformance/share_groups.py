"""Members of share groups in their heartbeats (KIP-932), and the start offsets of groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from mockbroker.protocol.messages.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from mockbroker.protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsRequestTopic,
    DescribeShareGroupOffsetsResponse,
)
from mockbroker.protocol.messages.share_group_describe import (
    ShareGroupDescribeRequest,
    ShareGroupDescribeResponse,
)
from mockbroker.protocol.messages.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from mockbroker.protocol.schema.message import Message
from tests.conformance.stored import Shown
from tests.conformance.talk import Talk
from tests.conformance.wire import Answer

AT_ONCE: Final[Mapping[str, str]] = {"group.share.assignment.interval.ms": "0"}
"""Settings with which every change of a group has a new target assignment at once."""


@dataclass(slots=True, kw_only=True)
class ShareMember:
    """A member; its epoch is that of its last answer."""

    talk: Talk
    group: str
    name: str = "a"
    topics: Sequence[str] = ("topic",)
    rack_id: str | None = None
    member_id: str = field(init=False)
    epoch: int = 0

    def __post_init__(self) -> None:
        """Choose the member id."""
        self.member_id = f"member-{self.name}"

    def request(self, *, epoch: int | None = None, is_full: bool = False) -> Message:
        """Build a heartbeat, which says only if it is full to what the member subscribes."""
        return ShareGroupHeartbeatRequest(
            group_id=self.group,
            member_id=self.member_id,
            member_epoch=self.epoch if epoch is None else epoch,
            rack_id=self.rack_id if is_full else None,
            subscribed_topic_names=list(self.topics) if is_full else None,
        )

    def send(self, title: str, request: Message) -> Answer:
        """Send a heartbeat of any content, and take the epoch from the answer."""
        answer = self.talk.ask(f"{self.name}: {title}", request, 1)
        self._take(answer)
        return answer

    def _take(self, answer: Answer) -> None:
        if isinstance(answer, ShareGroupHeartbeatResponse) and answer.error_code == ErrorCode.NONE:
            self.epoch = answer.member_epoch

    def join(self, title: str = "joins") -> None:
        """Join with all fields."""
        self.send(title, self.request(epoch=0, is_full=True))

    def subscribe(self, title: str, *topics: str) -> None:
        """Change the subscription."""
        self.topics = topics
        self.send(title, self.request(is_full=True))

    def beat(self, title: str = "beats", *, epoch: int | None = None) -> None:
        """Send a heartbeat without the fields that have not changed."""
        self.send(title, self.request(epoch=epoch))

    def beat_quietly(self) -> None:
        """Send a heartbeat without recording it; join if the member has not joined."""
        self._take(self.talk.quietly(self.request(is_full=not self.epoch), 1))

    def leave(self, title: str = "leaves") -> None:
        """Leave the group."""
        self.send(title, self.request(epoch=-1))
        self.epoch = 0


def await_initialized(
    talk: Talk, group: str, partitions: int, *, beating: Sequence[ShareMember] = ()
) -> None:
    """Wait until so many share partitions of a group are initialised, which is done later.

    Members beat meanwhile whose coordinator may not know yet that a topic has changed.
    """

    def are_listed(answer: Message) -> bool:
        assert isinstance(answer, DescribeShareGroupOffsetsResponse)
        topics = answer.groups[0].topics
        is_so = sum(len(topic.partitions) for topic in topics) == partitions
        for each in () if is_so else beating:
            each.beat_quietly()
        return is_so

    talk.until_quietly(offsets_request(group, None), 1, are_listed)


def settle(members: Sequence[ShareMember], partitions: int) -> None:
    """Have members join and beat until each has its part, without recording steps."""
    for each in members:
        each.beat_quietly()
    await_initialized(members[0].talk, members[0].group, partitions, beating=members)
    for _ in range(2):
        for each in members:
            each.beat_quietly()


def offsets_request(
    group: str, topics: Mapping[str, Sequence[int]] | None
) -> DescribeShareGroupOffsetsRequest:
    """Build a request for the start offsets of a group; None asks for all topics."""
    wanted = None
    if topics is not None:
        wanted = [
            DescribeShareGroupOffsetsRequestTopic(topic_name=name, partitions=list(partitions))
            for name, partitions in topics.items()
        ]
    return DescribeShareGroupOffsetsRequest(
        groups=[DescribeShareGroupOffsetsRequestGroup(group_id=group, topics=wanted)]
    )


def describe_share(talk: Talk, title: str, *groups: str, authorized: bool = False) -> None:
    """Record a ShareGroupDescribe answer as a step."""
    request = ShareGroupDescribeRequest(
        group_ids=list(groups), include_authorized_operations=authorized
    )
    talk.ask(f"{title}: described", request, 1)


def note_shares(talk: Talk, title: str, group: str) -> None:
    """Record how many partitions each member has."""
    request = ShareGroupDescribeRequest(group_ids=[group])
    answer = talk.expect(ShareGroupDescribeResponse, talk.quietly(request, 1))
    counts = {
        member.member_id: sum(len(topic.partitions) for topic in member.assignment.topic_partitions)
        for member in answer.groups[0].members
    }
    talk.note(title, group, cast("Shown", counts))


def describe_offsets(
    talk: Talk, title: str, group: str, topics: Mapping[str, Sequence[int]] | None = None
) -> None:
    """Record DescribeShareGroupOffsets answers as steps, one of each version."""
    for version in talk.versions(ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS):
        talk.ask(f"{title}: offsets, v{version}", offsets_request(group, topics), version)


def alter_offsets(
    talk: Talk, title: str, group: str, topics: Mapping[str, Mapping[int, int]]
) -> None:
    """Record an AlterShareGroupOffsets answer as a step."""
    request = AlterShareGroupOffsetsRequest(
        group_id=group,
        topics=[
            AlterShareGroupOffsetsRequestTopic(
                topic_name=name,
                partitions=[
                    AlterShareGroupOffsetsRequestPartition(
                        partition_index=index, start_offset=offset
                    )
                    for index, offset in offsets.items()
                ],
            )
            for name, offsets in topics.items()
        ],
    )
    talk.ask(title, request, 0)


def delete_offsets(talk: Talk, title: str, group: str, *topics: str) -> None:
    """Record a DeleteShareGroupOffsets answer as a step."""
    request = DeleteShareGroupOffsetsRequest(
        group_id=group,
        topics=[DeleteShareGroupOffsetsRequestTopic(topic_name=name) for name in topics],
    )
    talk.ask(title, request, 0)
