"""Records of `__share_group_state` as values of the state (KIP-932)."""

from typing import NamedTuple, TypeAlias

from mockbroker.protocol.types import Uuid
from mockbroker.state.random_source import uuid_text
from mockbroker.state.share.state_batch import StateBatch


class SharePartitionKey(NamedTuple):
    """A partition of a topic in a share group."""

    group_id: str
    topic_id: Uuid
    partition: int

    @property
    def coordinator_key(self) -> str:
        """The key by which its coordinator is found."""
        return f"{self.group_id}:{uuid_text(self.topic_id)}:{self.partition}"


class ShareGroupOffset(NamedTuple):
    """The persisted state of a share partition (Kafka's `ShareGroupOffset`)."""

    snapshot_epoch: int
    state_epoch: int
    leader_epoch: int
    start_offset: int
    """-1 for a partition that no leader has initialised yet."""
    delivery_complete_count: int
    state_batches: tuple[StateBatch, ...] = ()
    create_timestamp_ms: int = 0
    write_timestamp_ms: int = 0


class ShareSnapshot(NamedTuple):
    """The whole state of a share partition; a tombstone without a value."""

    key: SharePartitionKey
    value: ShareGroupOffset | None


class ShareUpdate(NamedTuple):
    """A change of a share partition, which has neither a state epoch nor timestamps."""

    key: SharePartitionKey
    value: ShareGroupOffset


ShareLogRecord: TypeAlias = ShareSnapshot | ShareUpdate
