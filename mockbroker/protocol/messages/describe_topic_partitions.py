"""DescribeTopicPartitions: the partitions of topics, page by page (KIP-966)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    INT16,
    INT32,
    STRING,
    UUID,
    Message,
    Struct,
    array,
    field,
    struct,
)
from mockbroker.protocol.types import Uuid


class TopicRequest(Struct):
    name: str = field(STRING)


class Cursor(Struct):
    topic_name: str = field(STRING)
    partition_index: int = field(INT32)


class DescribeTopicPartitionsRequest(
    Message, api=ApiKey.DESCRIBE_TOPIC_PARTITIONS, kind="request", versions="0", flexible="0+"
):
    topics: list[TopicRequest] = field(array(TopicRequest))
    response_partition_limit: int = field(INT32, default=2000)
    cursor: Cursor | None = field(struct(Cursor), nullable="0+", default=None)


class DescribeTopicPartitionsResponsePartition(Struct):
    error_code: int = field(INT16)
    partition_index: int = field(INT32)
    leader_id: int = field(INT32)
    leader_epoch: int = field(INT32, default=-1)
    replica_nodes: list[int] = field(array(INT32))
    isr_nodes: list[int] = field(array(INT32))
    eligible_leader_replicas: list[int] | None = field(array(INT32), nullable="0+", default=None)
    last_known_elr: list[int] | None = field(array(INT32), nullable="0+", default=None)
    offline_replicas: list[int] = field(array(INT32))


class DescribeTopicPartitionsResponseTopic(Struct):
    error_code: int = field(INT16)
    name: str | None = field(STRING, nullable="0+")
    topic_id: Uuid = field(UUID)
    is_internal: bool = field(BOOL)
    partitions: list[DescribeTopicPartitionsResponsePartition] = field(
        array(DescribeTopicPartitionsResponsePartition)
    )
    topic_authorized_operations: int = field(INT32, default=-2147483648)


class DescribeTopicPartitionsResponse(
    Message, api=ApiKey.DESCRIBE_TOPIC_PARTITIONS, kind="response", versions="0", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    topics: list[DescribeTopicPartitionsResponseTopic] = field(
        array(DescribeTopicPartitionsResponseTopic)
    )
    next_cursor: Cursor | None = field(struct(Cursor), nullable="0+", default=None)
