"""Records of `__consumer_offsets` as values of the state."""

from typing import Final, NamedTuple, TypeAlias

from mockbroker.protocol.types import ZERO_UUID, TopicPartition, Uuid
from mockbroker.state.group.modern.modern_records import ModernRecord

NO_COMMITTED_OFFSET: Final = -1
NO_LEADER_EPOCH: Final = -1
NO_EXPIRY: Final = -1
NOT_WRITTEN: Final = -1


class OffsetAndMetadata(NamedTuple):
    """A committed offset and its metadata (Kafka's class of the same name)."""

    offset: int
    leader_epoch: int
    metadata: str
    commit_timestamp_ms: int
    expire_timestamp_ms: int = NO_EXPIRY
    """Its own expiry; since 2.1 the group determines the expiry (KIP-211)."""
    topic_id: Uuid = ZERO_UUID
    record_offset: int = NOT_WRITTEN
    """Offset of its record in the group's partition of `__consumer_offsets`."""

    def as_text(self) -> str:
        """Show the offset in a stable form."""
        return (
            f"offset {self.offset} epoch {self.leader_epoch} {self.metadata!r} committed"
            f" {self.commit_timestamp_ms} expires {self.expire_timestamp_ms} topic"
            f" {self.topic_id} at {self.record_offset}"
        )


NO_TIMESTAMP_MS = -1
SAME_AS_SESSION_TIMEOUT_MS = -1


class MemberMetadataValue(NamedTuple):
    """One member of a group in the log (Kafka's `MemberMetadata`)."""

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    """-1 in records of before JoinGroup had it; the session timeout applies then."""
    session_timeout_ms: int
    subscription: bytes
    """The member's metadata for the selected protocol; opaque."""
    assignment: bytes
    """The member's assignment from the leader; opaque."""


class GroupMetadataValue(NamedTuple):
    """A group and its members (Kafka's `GroupMetadataValue`)."""

    protocol_type: str
    """Empty for a group that has had no members."""
    generation: int
    protocol: str | None
    leader: str | None
    current_state_timestamp_ms: int
    """Time at which the group entered its state; -1 in records older than that field."""
    members: tuple[MemberMetadataValue, ...]


class OffsetRecord(NamedTuple):
    """A group's committed offset for a partition; a tombstone without a value."""

    group_id: str
    partition: TopicPartition
    value: OffsetAndMetadata | None


class GroupRecord(NamedTuple):
    """A group, its generation and its members; a tombstone without a value."""

    group_id: str
    value: GroupMetadataValue | None


GroupLogRecord: TypeAlias = OffsetRecord | GroupRecord | ModernRecord
