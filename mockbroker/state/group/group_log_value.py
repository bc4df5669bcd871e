"""What `__consumer_offsets` keeps of a group: a value in the state's own vocabulary."""

from typing import NamedTuple

NO_TIMESTAMP_MS = -1
SAME_AS_SESSION_TIMEOUT_MS = -1


class MemberMetadataValue(NamedTuple):
    """One member of a group, as the log keeps it (Kafka's `MemberMetadata`)."""

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    """-1 in records of before JoinGroup had it: then it is the session timeout."""
    session_timeout_ms: int
    subscription: bytes
    """What the member said for the protocol that was selected; opaque."""
    assignment: bytes
    """What the leader assigned to the member; opaque."""


class GroupMetadataValue(NamedTuple):
    """A group and its members (Kafka's `GroupMetadataValue`)."""

    protocol_type: str
    """Empty for a group that had no members yet."""
    generation: int
    protocol: str | None
    leader: str | None
    current_state_timestamp_ms: int
    """When the group entered its state; -1 in records that are older than that field."""
    members: tuple[MemberMetadataValue, ...]
