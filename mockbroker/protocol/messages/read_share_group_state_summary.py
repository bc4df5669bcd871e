"""ReadShareGroupStateSummary: read the head of a share group's persistent state (KIP-932)."""

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
    leader_epoch: int = field(INT32)


class ReadStateSummaryData(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[PartitionData] = field(array(PartitionData))


class ReadShareGroupStateSummaryRequest(
    Message,
    api=ApiKey.READ_SHARE_GROUP_STATE_SUMMARY,
    kind="request",
    versions="0-1",
    flexible="0+",
):
    group_id: str = field(STRING)
    topics: list[ReadStateSummaryData] = field(array(ReadStateSummaryData))


class PartitionResult(Struct):
    partition: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    state_epoch: int = field(INT32)
    leader_epoch: int = field(INT32)
    start_offset: int = field(INT64)
    delivery_complete_count: int = field(INT32, "1+", default=-1)


class ReadStateSummaryResult(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[PartitionResult] = field(array(PartitionResult))


class ReadShareGroupStateSummaryResponse(
    Message,
    api=ApiKey.READ_SHARE_GROUP_STATE_SUMMARY,
    kind="response",
    versions="0-1",
    flexible="0+",
):
    results: list[ReadStateSummaryResult] = field(array(ReadStateSummaryResult))
