"""Records of `__consumer_offsets` that consumer and share groups are made of.

Each kind of group has record types of its own in the log; here they share classes, with the kind as
a field. The last field of every record is its value; None makes it a tombstone.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from mockbroker.protocol.types import Uuid
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.share.state_partitions import StatePartitionsRecord

Partitions: TypeAlias = Mapping[Uuid, frozenset[int]]
"""Partitions by topic id."""
PartitionEpochs: TypeAlias = Mapping[Uuid, Mapping[int, int]]
"""Partitions by topic id, with the epoch in which each was assigned."""


_NOTHING: Final[PartitionEpochs] = MappingProxyType({})


class ClassicMemberMetadata(NamedTuple):
    """Fields of a member that uses the classic protocol in a consumer group."""

    session_timeout_ms: int
    supported_protocols: tuple[tuple[str, bytes], ...]


class MemberMetadata(NamedTuple):
    """A member's own description, from its heartbeats."""

    client_id: str = ""
    client_host: str = ""
    instance_id: str | None = None
    rack_id: str | None = None
    subscribed_topic_names: frozenset[str] = frozenset()
    subscribed_topic_regex: str | None = ""
    rebalance_timeout_ms: int = -1
    server_assignor: str | None = None
    classic: ClassicMemberMetadata | None = None
    """None for a member that uses the group's own protocol."""


class CurrentAssignment(NamedTuple):
    """A member's epochs, and the partitions that it may own."""

    member_epoch: int = 0
    previous_member_epoch: int = -1
    state: MemberState = MemberState.STABLE
    assigned: PartitionEpochs = _NOTHING
    pending_revocation: PartitionEpochs = _NOTHING


class GroupEpoch(NamedTuple):
    """A group's epoch, and the hash of the topics that it subscribes to (KIP-1101)."""

    group_epoch: int
    metadata_hash: int = 0


class TargetEpoch(NamedTuple):
    """The group epoch of the target assignment, and when it was computed (KIP-1263)."""

    assignment_epoch: int
    timestamp_ms: int = 0


class ResolvedRegularExpression(NamedTuple):
    """The topics that match a regular expression."""

    topics: frozenset[str]
    version: int
    timestamp_ms: int


class GroupEpochRecord(NamedTuple):
    """A group; its tombstone ends the group."""

    kind: GroupKind
    group_id: str
    value: GroupEpoch | None


class MemberRecord(NamedTuple):
    """A member's description."""

    kind: GroupKind
    group_id: str
    member_id: str
    value: MemberMetadata | None


class TargetEpochRecord(NamedTuple):
    """The epoch of the target assignment."""

    kind: GroupKind
    group_id: str
    value: TargetEpoch | None


class TargetAssignmentRecord(NamedTuple):
    """The target assignment of a member."""

    kind: GroupKind
    group_id: str
    member_id: str
    value: Partitions | None


class CurrentAssignmentRecord(NamedTuple):
    """The current assignment of a member."""

    kind: GroupKind
    group_id: str
    member_id: str
    value: CurrentAssignment | None


class RegularExpressionRecord(NamedTuple):
    """A resolved regular expression of a consumer group."""

    kind: GroupKind
    group_id: str
    regular_expression: str
    value: ResolvedRegularExpression | None


class SubscriptionMetadataRecord(NamedTuple):
    """The tombstone of the topic metadata that consumer groups had before 4.1 (KIP-1101)."""

    kind: GroupKind
    group_id: str
    value: None = None


ModernRecord: TypeAlias = (
    GroupEpochRecord
    | MemberRecord
    | TargetEpochRecord
    | TargetAssignmentRecord
    | CurrentAssignmentRecord
    | RegularExpressionRecord
    | StatePartitionsRecord
    | SubscriptionMetadataRecord
)
