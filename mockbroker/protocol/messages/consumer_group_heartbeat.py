"""ConsumerGroupHeartbeat: join, stay in and leave a group of the consumer protocol (KIP-848)."""

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
    struct,
)
from mockbroker.protocol.types import Uuid


class TopicPartitions(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[int] = field(array(INT32))


class ConsumerGroupHeartbeatRequest(
    Message, api=ApiKey.CONSUMER_GROUP_HEARTBEAT, kind="request", versions="0-1", flexible="0+"
):
    group_id: str = field(STRING)
    member_id: str = field(STRING)
    member_epoch: int = field(INT32)
    instance_id: str | None = field(STRING, nullable="0+", default=None)
    rack_id: str | None = field(STRING, nullable="0+", default=None)
    rebalance_timeout_ms: int = field(INT32, default=-1)
    subscribed_topic_names: list[str] | None = field(array(STRING), nullable="0+", default=None)
    subscribed_topic_regex: str | None = field(STRING, "1+", nullable="1+", default=None)
    server_assignor: str | None = field(STRING, nullable="0+", default=None)
    topic_partitions: list[TopicPartitions] | None = field(
        array(TopicPartitions), nullable="0+", default=None
    )


class Assignment(Struct):
    topic_partitions: list[TopicPartitions] = field(array(TopicPartitions))


class ConsumerGroupHeartbeatResponse(
    Message, api=ApiKey.CONSUMER_GROUP_HEARTBEAT, kind="response", versions="0-1", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    member_id: str | None = field(STRING, nullable="0+", default=None)
    member_epoch: int = field(INT32)
    heartbeat_interval_ms: int = field(INT32)
    assignment: Assignment | None = field(struct(Assignment), nullable="0+", default=None)
