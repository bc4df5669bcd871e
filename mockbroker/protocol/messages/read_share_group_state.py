"""ReadShareGroupState: read a share group's persistent state (KIP-932)."""

from mockbroker.protocol.api_keys import ApiKey
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


class PartitionData(Struct):
    partition: int = field(INT32)
    leader_epoch: int = field(INT32)


class ReadStateData(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[PartitionData] = field(array(PartitionData))


class ReadShareGroupStateRequest(
    Message, api=ApiKey.READ_SHARE_GROUP_STATE, kind="request", versions="0", flexible="0+"
):
    group_id: str = field(STRING)
    topics: list[ReadStateData] = field(array(ReadStateData))


class StateBatch(Struct):
    first_offset: int = field(INT64)
    last_offset: int = field(INT64)
    delivery_state: int = field(INT8)
    delivery_count: int = field(INT16)


class PartitionResult(Struct):
    partition: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    state_epoch: int = field(INT32)
    start_offset: int = field(INT64)
    state_batches: list[StateBatch] = field(array(StateBatch))


class ReadStateResult(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[PartitionResult] = field(array(PartitionResult))


class ReadShareGroupStateResponse(
    Message, api=ApiKey.READ_SHARE_GROUP_STATE, kind="response", versions="0", flexible="0+"
):
    results: list[ReadStateResult] = field(array(ReadStateResult))
