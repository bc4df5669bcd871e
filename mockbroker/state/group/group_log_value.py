"""Values of the group records in `__consumer_offsets`."""

from typing import NamedTuple

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
