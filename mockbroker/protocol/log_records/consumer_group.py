"""Records of `__consumer_offsets` that hold a group of the consumer protocol (KIP-848)."""

from mockbroker.protocol.schema.message import (
    BYTES,
    INT8,
    INT32,
    INT64,
    STRING,
    UUID,
    Message,
    Struct,
    array,
    field,
    struct,
)
from mockbroker.protocol.types import Uuid


class ConsumerGroupMetadataKey(Message, versions="0"):
    group_id: str = field(STRING)


class ConsumerGroupMetadataValue(Message, versions="0", flexible="0+"):
    epoch: int = field(INT32)
    metadata_hash: int = field(INT64, tag=0, tagged="0+")


class ConsumerGroupMemberMetadataKey(Message, versions="0"):
    group_id: str = field(STRING)
    member_id: str = field(STRING)


class ClassicProtocol(Struct):
    name: str = field(STRING)
    metadata: bytes = field(BYTES)


class ClassicMemberMetadata(Struct):
    session_timeout_ms: int = field(INT32)
    supported_protocols: list[ClassicProtocol] = field(array(ClassicProtocol))


class ConsumerGroupMemberMetadataValue(Message, versions="0", flexible="0+"):
    instance_id: str | None = field(STRING, nullable="0+")
    rack_id: str | None = field(STRING, nullable="0+")
    client_id: str = field(STRING)
    client_host: str = field(STRING)
    subscribed_topic_names: list[str] = field(array(STRING))
    subscribed_topic_regex: str | None = field(STRING, nullable="0+")
    rebalance_timeout_ms: int = field(INT32, default=-1)
    server_assignor: str | None = field(STRING, nullable="0+")
    classic_member_metadata: ClassicMemberMetadata | None = field(
        struct(ClassicMemberMetadata), nullable="0+", tag=0, tagged="0+"
    )


class ConsumerGroupPartitionMetadataKey(Message, versions="0"):
    group_id: str = field(STRING)


class PartitionMetadata(Struct):
    partition: int = field(INT32)
    racks: list[str] = field(array(STRING))


class TopicMetadata(Struct):
    topic_id: Uuid = field(UUID)
    topic_name: str = field(STRING)
    num_partitions: int = field(INT32)
    partition_metadata: list[PartitionMetadata] = field(array(PartitionMetadata))


class ConsumerGroupPartitionMetadataValue(Message, versions="0", flexible="0+"):
    topics: list[TopicMetadata] = field(array(TopicMetadata))


class ConsumerGroupRegularExpressionKey(Message, versions="0"):
    group_id: str = field(STRING)
    regular_expression: str = field(STRING)


class ConsumerGroupRegularExpressionValue(Message, versions="0", flexible="0+"):
    topics: list[str] = field(array(STRING))
    version: int = field(INT64)
    timestamp: int = field(INT64)


class ConsumerGroupTargetAssignmentMetadataKey(Message, versions="0"):
    group_id: str = field(STRING)


class ConsumerGroupTargetAssignmentMetadataValue(Message, versions="0", flexible="0+"):
    assignment_epoch: int = field(INT32)
    assignment_timestamp: int = field(INT64, tag=0, tagged="0+")


class ConsumerGroupTargetAssignmentMemberKey(Message, versions="0"):
    group_id: str = field(STRING)
    member_id: str = field(STRING)


class TopicPartition(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[int] = field(array(INT32))


class ConsumerGroupTargetAssignmentMemberValue(Message, versions="0", flexible="0+"):
    topic_partitions: list[TopicPartition] = field(array(TopicPartition))


class ConsumerGroupCurrentMemberAssignmentKey(Message, versions="0"):
    group_id: str = field(STRING)
    member_id: str = field(STRING)


class TopicPartitions(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[int] = field(array(INT32))
    assignment_epochs: list[int] | None = field(array(INT32), nullable="0+", tag=0, tagged="0+")


class ConsumerGroupCurrentMemberAssignmentValue(Message, versions="0", flexible="0+"):
    member_epoch: int = field(INT32)
    previous_member_epoch: int = field(INT32)
    state: int = field(INT8)
    assigned_partitions: list[TopicPartitions] = field(array(TopicPartitions))
    partitions_pending_revocation: list[TopicPartitions] = field(array(TopicPartitions))
