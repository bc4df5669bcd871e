"""ShareGroupDescribe: the state of share groups (KIP-932)."""

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


class ShareGroupDescribeRequest(
    Message, api=ApiKey.SHARE_GROUP_DESCRIBE, kind="request", versions="1", flexible="1+"
):
    group_ids: list[str] = field(array(STRING))
    include_authorized_operations: bool = field(BOOL)


class TopicPartitions(Struct):
    topic_id: Uuid = field(UUID)
    topic_name: str = field(STRING)
    partitions: list[int] = field(array(INT32))


class Assignment(Struct):
    topic_partitions: list[TopicPartitions] = field(array(TopicPartitions))


class Member(Struct):
    member_id: str = field(STRING)
    rack_id: str | None = field(STRING, nullable="0+", default=None)
    member_epoch: int = field(INT32)
    client_id: str = field(STRING)
    client_host: str = field(STRING)
    subscribed_topic_names: list[str] = field(array(STRING))
    assignment: Assignment = field(struct(Assignment))


class DescribedGroup(Struct):
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    group_id: str = field(STRING)
    group_state: str = field(STRING)
    group_epoch: int = field(INT32)
    assignment_epoch: int = field(INT32)
    assignor_name: str = field(STRING)
    members: list[Member] = field(array(Member))
    authorized_operations: int = field(INT32, default=-2147483648)


class ShareGroupDescribeResponse(
    Message, api=ApiKey.SHARE_GROUP_DESCRIBE, kind="response", versions="1", flexible="1+"
):
    throttle_time_ms: int = field(INT32)
    groups: list[DescribedGroup] = field(array(DescribedGroup))
