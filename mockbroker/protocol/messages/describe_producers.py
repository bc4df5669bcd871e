"""DescribeProducers: the active producers of a partition (KIP-664)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    INT64,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class TopicRequest(Struct):
    name: str = field(STRING)
    partition_indexes: list[int] = field(array(INT32))


class DescribeProducersRequest(
    Message, api=ApiKey.DESCRIBE_PRODUCERS, kind="request", versions="0", flexible="0+"
):
    topics: list[TopicRequest] = field(array(TopicRequest))


class ProducerState(Struct):
    producer_id: int = field(INT64)
    producer_epoch: int = field(INT32)
    last_sequence: int = field(INT32, default=-1)
    last_timestamp: int = field(INT64, default=-1)
    coordinator_epoch: int = field(INT32)
    current_txn_start_offset: int = field(INT64, default=-1)


class PartitionResponse(Struct):
    partition_index: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    active_producers: list[ProducerState] = field(array(ProducerState))


class TopicResponse(Struct):
    name: str = field(STRING)
    partitions: list[PartitionResponse] = field(array(PartitionResponse))


class DescribeProducersResponse(
    Message, api=ApiKey.DESCRIBE_PRODUCERS, kind="response", versions="0", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    topics: list[TopicResponse] = field(array(TopicResponse))
