"""Records of `__consumer_offsets` that a streams group is made of (KIP-1071).

The last field of every record is its value; None makes it a tombstone.
"""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.streams.streams_group_member import (
    NO_REBALANCE_TIMEOUT_MS,
    StreamsGroupMember,
    StreamsMemberState,
    UserEndpoint,
)
from mockbroker.state.group.streams.tasks import NONE_ASSIGNED, AssignedTasks, TasksTuple
from mockbroker.state.group.streams.topics.topology import NO_TOPOLOGY_EPOCH, Topology


class StreamsGroupEpoch(NamedTuple):
    """A group's epoch, and what it was begun for."""

    group_epoch: int
    metadata_hash: int = 0
    """Hash of the topics of the topology."""
    validated_topology_epoch: int = NO_TOPOLOGY_EPOCH
    """Epoch of the topology whose topics fit; -1 if they did not."""
    assignment_configs: Mapping[str, str] = {}


class StreamsTargetEpoch(NamedTuple):
    """The group epoch of the target assignment, and when it was computed (KIP-1263)."""

    assignment_epoch: int
    timestamp_ms: int = 0
    """Time of the computation; 0 if the next one may follow at once."""


class StreamsMemberMetadata(NamedTuple):
    """A member's own description, from its heartbeats."""

    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = NO_REBALANCE_TIMEOUT_MS
    topology_epoch: int = NO_TOPOLOGY_EPOCH
    process_id: str = ""
    user_endpoint: UserEndpoint | None = None
    client_tags: Mapping[str, str] = {}

    @staticmethod
    def of(member: StreamsGroupMember) -> "StreamsMemberMetadata":
        """Return the description of a member."""
        return StreamsMemberMetadata(
            **{name: getattr(member, name) for name in StreamsMemberMetadata._fields}
        )


class StreamsCurrentAssignment(NamedTuple):
    """A member's epochs and its tasks."""

    member_epoch: int
    previous_member_epoch: int
    state: StreamsMemberState = StreamsMemberState.STABLE
    assigned: AssignedTasks = NONE_ASSIGNED
    pending_revocation: AssignedTasks = NONE_ASSIGNED

    @staticmethod
    def of(member: StreamsGroupMember) -> "StreamsCurrentAssignment":
        """Return the current assignment of a member."""
        return StreamsCurrentAssignment(
            member.member_epoch,
            member.previous_member_epoch,
            member.state,
            member.assigned,
            member.pending_revocation,
        )


class StreamsGroupRecord(NamedTuple):
    """A group; its tombstone ends the group."""

    group_id: str
    value: StreamsGroupEpoch | None

    @property
    def kind(self) -> GroupKind:
        """The kind of the group."""
        return GroupKind.STREAMS


class StreamsMemberRecord(NamedTuple):
    """A member's description."""

    group_id: str
    member_id: str
    value: StreamsMemberMetadata | None

    @property
    def kind(self) -> GroupKind:
        """The kind of the group."""
        return GroupKind.STREAMS


class StreamsTargetEpochRecord(NamedTuple):
    """The epoch of the target assignment."""

    group_id: str
    value: StreamsTargetEpoch | None

    @property
    def kind(self) -> GroupKind:
        """The kind of the group."""
        return GroupKind.STREAMS


class StreamsTargetRecord(NamedTuple):
    """The target assignment of a member."""

    group_id: str
    member_id: str
    value: TasksTuple | None

    @property
    def kind(self) -> GroupKind:
        """The kind of the group."""
        return GroupKind.STREAMS


class StreamsCurrentRecord(NamedTuple):
    """The current assignment of a member."""

    group_id: str
    member_id: str
    value: StreamsCurrentAssignment | None

    @property
    def kind(self) -> GroupKind:
        """The kind of the group."""
        return GroupKind.STREAMS


class StreamsTopologyRecord(NamedTuple):
    """The topology of the application."""

    group_id: str
    value: Topology | None

    @property
    def kind(self) -> GroupKind:
        """The kind of the group."""
        return GroupKind.STREAMS


StreamsRecord: TypeAlias = (
    StreamsGroupRecord
    | StreamsMemberRecord
    | StreamsTargetEpochRecord
    | StreamsTargetRecord
    | StreamsCurrentRecord
    | StreamsTopologyRecord
)
