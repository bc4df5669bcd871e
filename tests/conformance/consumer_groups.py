"""Members of groups of the consumer protocol (KIP-848), which send what their answers tell them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from mockbroker.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from mockbroker.protocol.messages.list_groups import ListGroupsRequest
from tests.conformance.talk import Talk
from tests.conformance.wire import Answer

AT_ONCE: Final[Mapping[str, str]] = {"group.consumer.assignment.interval.ms": "0"}
"""Settings with which every change of a group has a new target assignment at once."""
REBALANCE_TIMEOUT_MS: Final = 60_000

Owned = Mapping[str, Sequence[int]]
"""Partitions by topic."""


def owned_by(talk: Talk, owned: Owned) -> list[TopicPartitions]:
    """Return partitions as a heartbeat lists them."""
    return [
        TopicPartitions(topic_id=talk.id_of(name), partitions=list(partitions))
        for name, partitions in owned.items()
    ]


@dataclass(slots=True, kw_only=True)
class Member:
    """A member; its epoch is that of its last answer."""

    talk: Talk
    group: str
    name: str = "a"
    topics: Sequence[str] | None = ("topic",)
    regex: str | None = None
    instance_id: str | None = None
    rack_id: str | None = None
    assignor: str | None = None
    rebalance_timeout_ms: int = REBALANCE_TIMEOUT_MS
    version: int | None = None
    connection: str = "main"
    member_id: str = field(init=False)
    epoch: int = 0

    def __post_init__(self) -> None:
        """Choose the member id, as a client of v1 does."""
        self.member_id = f"member-{self.name}"

    def send(self, title: str, request: ConsumerGroupHeartbeatRequest) -> Answer:
        """Send a heartbeat of any content, and take the epoch from the answer."""
        newest = self.talk.latest(ApiKey.CONSUMER_GROUP_HEARTBEAT)
        version = newest if self.version is None else self.version
        answer = self.talk.ask(
            f"{self.name}: {title}", request, version, connection=self.connection
        )
        if (
            isinstance(answer, ConsumerGroupHeartbeatResponse)
            and answer.error_code == ErrorCode.NONE
        ):
            self.epoch = answer.member_epoch
        return answer

    def request(
        self, owned: Owned | None = None, *, epoch: int | None = None
    ) -> ConsumerGroupHeartbeatRequest:
        """Build a heartbeat that says only what it owns."""
        return ConsumerGroupHeartbeatRequest(
            group_id=self.group,
            member_id=self.member_id,
            member_epoch=self.epoch if epoch is None else epoch,
            instance_id=self.instance_id,
            topic_partitions=None if owned is None else owned_by(self.talk, owned),
        )

    def full_request(
        self, owned: Owned, *, epoch: int | None = None
    ) -> ConsumerGroupHeartbeatRequest:
        """Build a heartbeat with all fields."""
        request = self.request(owned, epoch=epoch)
        request.rack_id = self.rack_id
        request.rebalance_timeout_ms = self.rebalance_timeout_ms
        request.subscribed_topic_names = None if self.topics is None else list(self.topics)
        request.subscribed_topic_regex = self.regex
        request.server_assignor = self.assignor
        return request

    def join(self, title: str = "joins") -> Answer:
        """Join with all fields and nothing owned."""
        return self.send(title, self.full_request({}, epoch=0))

    def beat(self, title: str = "beats", owned: Owned | None = None) -> Answer:
        """Send a heartbeat without the fields that have not changed."""
        return self.send(title, self.request(owned))

    def leave(self, title: str = "leaves", epoch: int = -1) -> Answer:
        """Leave the group; -2 leaves it for a moment."""
        return self.send(title, self.request(epoch=epoch))


def describe_consumers(talk: Talk, title: str, *groups: str) -> None:
    """Record the newest ConsumerGroupDescribe answer as a step."""
    request = ConsumerGroupDescribeRequest(group_ids=list(groups))
    talk.ask(f"{title}: described", request, talk.latest(ApiKey.CONSUMER_GROUP_DESCRIBE))


def list_groups(
    talk: Talk, title: str, *, states: Sequence[str] = (), types: Sequence[str] = ()
) -> None:
    """Record the newest ListGroups answer as a step."""
    request = ListGroupsRequest(states_filter=list(states), types_filter=list(types))
    talk.ask(f"{title}: listed", request, talk.latest(ApiKey.LIST_GROUPS))
