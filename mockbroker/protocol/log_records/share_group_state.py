"""Records of `__share_group_state`: snapshots and updates of share partitions (KIP-932)."""

from mockbroker.protocol.schema.message import (
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    UUID,
    Message,
    Struct,
    array,
    field,
)
from mockbroker.protocol.types import Uuid


class ShareSnapshotKey(Message, versions="0"):
    group_id: str = field(STRING)
    topic_id: Uuid = field(UUID)
    partition: int = field(INT32)


class ShareUpdateKey(Message, versions="0"):
    group_id: str = field(STRING)
    topic_id: Uuid = field(UUID)
    partition: int = field(INT32)


class StateBatch(Struct):
    first_offset: int = field(INT64)
    last_offset: int = field(INT64)
    delivery_state: int = field(INT8)
    delivery_count: int = field(INT16)


class ShareSnapshotValue(Message, versions="0", flexible="0+"):
    snapshot_epoch: int = field(INT32)
    state_epoch: int = field(INT32)
    leader_epoch: int = field(INT32)
    start_offset: int = field(INT64)
    delivery_complete_count: int = field(INT32, default=-1, tag=0, tagged="0+")
    create_timestamp: int = field(INT64)
    write_timestamp: int = field(INT64)
    state_batches: list[StateBatch] = field(array(StateBatch))


class ShareUpdateValue(Message, versions="0", flexible="0+"):
    snapshot_epoch: int = field(INT32)
    leader_epoch: int = field(INT32)
    start_offset: int = field(INT64)
    delivery_complete_count: int = field(INT32, default=-1, tag=0, tagged="0+")
    state_batches: list[StateBatch] = field(array(StateBatch))
