"""DeleteShareGroupState: remove a share group's persistent state (KIP-932)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
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


class DeleteStateData(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[PartitionData] = field(array(PartitionData))


class DeleteShareGroupStateRequest(
    Message, api=ApiKey.DELETE_SHARE_GROUP_STATE, kind="request", versions="0", flexible="0+"
):
    group_id: str = field(STRING)
    topics: list[DeleteStateData] = field(array(DeleteStateData))


class PartitionResult(Struct):
    partition: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)


class DeleteStateResult(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[PartitionResult] = field(array(PartitionResult))


class DeleteShareGroupStateResponse(
    Message, api=ApiKey.DELETE_SHARE_GROUP_STATE, kind="response", versions="0", flexible="0+"
):
    results: list[DeleteStateResult] = field(array(DeleteStateResult))
