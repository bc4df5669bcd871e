"""InitializeShareGroupState: create a share group's persistent state (KIP-932)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
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
    state_epoch: int = field(INT32)
    start_offset: int = field(INT64)


class InitializeStateData(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[PartitionData] = field(array(PartitionData))


class InitializeShareGroupStateRequest(
    Message, api=ApiKey.INITIALIZE_SHARE_GROUP_STATE, kind="request", versions="0", flexible="0+"
):
    group_id: str = field(STRING)
    topics: list[InitializeStateData] = field(array(InitializeStateData))


class PartitionResult(Struct):
    partition: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)


class InitializeStateResult(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[PartitionResult] = field(array(PartitionResult))


class InitializeShareGroupStateResponse(
    Message, api=ApiKey.INITIALIZE_SHARE_GROUP_STATE, kind="response", versions="0", flexible="0+"
):
    results: list[InitializeStateResult] = field(array(InitializeStateResult))
