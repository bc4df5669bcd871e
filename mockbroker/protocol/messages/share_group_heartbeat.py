"""ShareGroupHeartbeat: join, stay in and leave a share group (KIP-932)."""

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


class ShareGroupHeartbeatRequest(
    Message, api=ApiKey.SHARE_GROUP_HEARTBEAT, kind="request", versions="1", flexible="1+"
):
    group_id: str = field(STRING)
    member_id: str = field(STRING)
    member_epoch: int = field(INT32)
    rack_id: str | None = field(STRING, nullable="0+", default=None)
    subscribed_topic_names: list[str] | None = field(array(STRING), nullable="0+", default=None)


class TopicPartitions(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[int] = field(array(INT32))


class Assignment(Struct):
    topic_partitions: list[TopicPartitions] = field(array(TopicPartitions))


class ShareGroupHeartbeatResponse(
    Message, api=ApiKey.SHARE_GROUP_HEARTBEAT, kind="response", versions="1", flexible="1+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    member_id: str | None = field(STRING, nullable="0+", default=None)
    member_epoch: int = field(INT32)
    heartbeat_interval_ms: int = field(INT32)
    assignment: Assignment | None = field(struct(Assignment), nullable="0+", default=None)
