"""Members of the classic protocol whose subscriptions and assignments are real ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    TopicPartition,
)
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.join_group import JoinGroupResponse
from mockbroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from mockbroker.protocol.versioned import write_versioned
from tests.conformance.consumer_groups import Owned
from tests.conformance.groups import Client
from tests.conformance.wire import Answer

NOTHING: Final[Owned] = {}


def subscribed(
    *topics: str, owned: Owned = NOTHING, version: int = 3, rack_id: str | None = None
) -> bytes:
    """Return a consumer's subscription."""
    return write_versioned(
        ConsumerProtocolSubscription(
            topics=list(topics),
            owned_partitions=partitions_of(owned) if version else [],
            rack_id=rack_id if version >= 3 else None,
        ),
        version,
    )


def assigned(owned: Owned, *, user_data: bytes | None = None, version: int = 3) -> bytes:
    """Return a consumer's assignment."""
    return write_versioned(
        ConsumerProtocolAssignment(assigned_partitions=partitions_of(owned), user_data=user_data),
        version,
    )


def partitions_of(owned: Owned) -> list[TopicPartition]:
    """Return partitions as the consumer protocol lists them."""
    return [
        TopicPartition(topic=name, partitions=list(partitions))
        for name, partitions in owned.items()
    ]


@dataclass(slots=True, kw_only=True)
class ClassicConsumer(Client):
    """A classic consumer, which subscribes to topics."""

    topics: Sequence[str] = ("topic",)
    assignors: Sequence[str] = ("range",)
    subscription_version: int = 3

    def __post_init__(self) -> None:
        """Subscribe, owning nothing."""
        self.sends_raw = True
        self.owns({})

    def owns(self, owned: Owned) -> None:
        """Have the next JoinGroup report partitions."""
        metadata = subscribed(*self.topics, owned=owned, version=self.subscription_version)
        self.protocols = [(name, metadata) for name in self.assignors]

    def join_quietly(self, title: str) -> None:
        """Join without an id; the one that the coordinator makes gets a name in recordings."""
        request, version = self.join_request(), self.version(ApiKey.JOIN_GROUP)
        answer = self.talk.expect(JoinGroupResponse, self.talk.quietly(request, version))
        self.member_id, self.generation = answer.member_id, answer.generation_id
        self.talk.names.learn_text(answer.member_id, f"<id of {self.name}>")
        code = ErrorCode(answer.error_code).name
        self.talk.note(f"{self.name}: {title}", "JoinGroup", [code, answer.generation_id])

    def join_owning(self, owned: Owned, title: str = "joins again") -> Answer:
        """Join again with the partitions that it has."""
        self.owns(owned)
        return self.join(title)

    def assign(self, owned: Owned, title: str = "assigns itself") -> Answer:
        """Assign partitions to itself, as the leader."""
        return self.ask(title, self.assign_request(assigned(owned)))

    def assign_request(self, assignment: bytes) -> SyncGroupRequest:
        """Build a leader's SyncGroup with any assignment to itself."""
        request = self.sync_request()
        request.assignments = [
            SyncGroupRequestAssignment(member_id=self.member_id, assignment=assignment)
        ]
        return request
