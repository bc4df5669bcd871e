"""A group's committed offset for a partition."""

from typing import Final, NamedTuple

from mockbroker.protocol.types import ZERO_UUID, Uuid

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
