"""OffsetFetch: read the committed offsets of a group (batched from v8, KIP-709)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
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


class OffsetFetchRequestTopic(Struct):
    name: str = field(STRING)
    partition_indexes: list[int] = field(array(INT32))


class OffsetFetchRequestTopics(Struct):
    name: str = field(STRING, "8-9")
    topic_id: Uuid = field(UUID, "10+")
    partition_indexes: list[int] = field(array(INT32))


class OffsetFetchRequestGroup(Struct):
    group_id: str = field(STRING)
    member_id: str | None = field(STRING, "9+", nullable="9+", default=None)
    member_epoch: int = field(INT32, "9+", default=-1)
    topics: list[OffsetFetchRequestTopics] | None = field(
        array(OffsetFetchRequestTopics), nullable="0+"
    )


class OffsetFetchRequest(
    Message, api=ApiKey.OFFSET_FETCH, kind="request", versions="0-10", flexible="6+"
):
    group_id: str = field(STRING, "0-7")
    topics: list[OffsetFetchRequestTopic] | None = field(
        array(OffsetFetchRequestTopic), "0-7", nullable="2-7"
    )
    groups: list[OffsetFetchRequestGroup] = field(array(OffsetFetchRequestGroup), "8+")
    require_stable: bool = field(BOOL, "7+")


class OffsetFetchResponsePartition(Struct):
    partition_index: int = field(INT32)
    committed_offset: int = field(INT64)
    committed_leader_epoch: int = field(INT32, "5+", default=-1)
    metadata: str | None = field(STRING, nullable="0+")
    error_code: int = field(INT16)


class OffsetFetchResponseTopic(Struct):
    name: str = field(STRING)
    partitions: list[OffsetFetchResponsePartition] = field(array(OffsetFetchResponsePartition))


class OffsetFetchResponsePartitions(Struct):
    partition_index: int = field(INT32)
    committed_offset: int = field(INT64)
    committed_leader_epoch: int = field(INT32, default=-1)
    metadata: str | None = field(STRING, nullable="0+")
    error_code: int = field(INT16)


class OffsetFetchResponseTopics(Struct):
    name: str = field(STRING, "8-9")
    topic_id: Uuid = field(UUID, "10+")
    partitions: list[OffsetFetchResponsePartitions] = field(array(OffsetFetchResponsePartitions))


class OffsetFetchResponseGroup(Struct):
    group_id: str = field(STRING)
    topics: list[OffsetFetchResponseTopics] = field(array(OffsetFetchResponseTopics))
    error_code: int = field(INT16)


class OffsetFetchResponse(
    Message, api=ApiKey.OFFSET_FETCH, kind="response", versions="0-10", flexible="6+"
):
    throttle_time_ms: int = field(INT32, "3+")
    topics: list[OffsetFetchResponseTopic] = field(array(OffsetFetchResponseTopic), "0-7")
    error_code: int = field(INT16, "2-7")
    groups: list[OffsetFetchResponseGroup] = field(array(OffsetFetchResponseGroup), "8+")
