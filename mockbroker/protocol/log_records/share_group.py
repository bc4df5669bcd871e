"""Records of `__consumer_offsets` that hold a share group (KIP-932)."""

from mockbroker.protocol.schema.message import (
    INT8,
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


class ShareGroupMetadataKey(Message, versions="0"):
    group_id: str = field(STRING)


class ShareGroupMetadataValue(Message, versions="0", flexible="0+"):
    epoch: int = field(INT32)
    metadata_hash: int = field(INT64)


class ShareGroupMemberMetadataKey(Message, versions="0"):
    group_id: str = field(STRING)
    member_id: str = field(STRING)


class ShareGroupMemberMetadataValue(Message, versions="0", flexible="0+"):
    rack_id: str | None = field(STRING, nullable="0+")
    client_id: str = field(STRING)
    client_host: str = field(STRING)
    subscribed_topic_names: list[str] = field(array(STRING))


class ShareGroupTargetAssignmentMetadataKey(Message, versions="0"):
    group_id: str = field(STRING)


class ShareGroupTargetAssignmentMetadataValue(Message, versions="0", flexible="0+"):
    assignment_epoch: int = field(INT32)
    assignment_timestamp: int = field(INT64, default=0, tag=0, tagged="0+")


class ShareGroupTargetAssignmentMemberKey(Message, versions="0"):
    group_id: str = field(STRING)
    member_id: str = field(STRING)


class TopicPartition(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[int] = field(array(INT32))


class ShareGroupTargetAssignmentMemberValue(Message, versions="0", flexible="0+"):
    topic_partitions: list[TopicPartition] = field(array(TopicPartition))


class ShareGroupCurrentMemberAssignmentKey(Message, versions="0"):
    group_id: str = field(STRING)
    member_id: str = field(STRING)


class TopicPartitions(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[int] = field(array(INT32))


class ShareGroupCurrentMemberAssignmentValue(Message, versions="0", flexible="0+"):
    member_epoch: int = field(INT32)
    previous_member_epoch: int = field(INT32)
    state: int = field(INT8)
    assigned_partitions: list[TopicPartitions] = field(array(TopicPartitions))


class ShareGroupStatePartitionMetadataKey(Message, versions="0"):
    group_id: str = field(STRING)


class TopicPartitionsInfo(Struct):
    topic_id: Uuid = field(UUID)
    topic_name: str = field(STRING)
    partitions: list[int] = field(array(INT32))


class TopicInfo(Struct):
    topic_id: Uuid = field(UUID)
    topic_name: str = field(STRING)


class ShareGroupStatePartitionMetadataValue(Message, versions="0", flexible="0+"):
    initializing_topics: list[TopicPartitionsInfo] = field(array(TopicPartitionsInfo))
    initialized_topics: list[TopicPartitionsInfo] = field(array(TopicPartitionsInfo))
    deleting_topics: list[TopicInfo] = field(array(TopicInfo))
