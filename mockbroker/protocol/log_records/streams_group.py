"""Records of `__consumer_offsets` that hold a streams group (KIP-1071)."""

from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    INT64,
    STRING,
    UINT16,
    Message,
    Struct,
    array,
    field,
    struct,
)


class StreamsGroupMetadataKey(Message, versions="0"):
    group_id: str = field(STRING)


class LastAssignmentConfig(Struct):
    key: str = field(STRING)
    value: str = field(STRING)


class StreamsGroupMetadataValue(Message, versions="0", flexible="0+"):
    epoch: int = field(INT32)
    metadata_hash: int = field(INT64)
    validated_topology_epoch: int = field(INT32, tag=0, tagged="0+", default=-1)
    last_assignment_configs: list[LastAssignmentConfig] | None = field(
        array(LastAssignmentConfig), nullable="0+", tag=1, tagged="0+"
    )


class StreamsGroupMemberMetadataKey(Message, versions="0"):
    group_id: str = field(STRING)
    member_id: str = field(STRING)


class Endpoint(Struct):
    host: str = field(STRING)
    port: int = field(UINT16)


class KeyValue(Struct):
    key: str = field(STRING)
    value: str = field(STRING)


class StreamsGroupMemberMetadataValue(Message, versions="0", flexible="0+"):
    instance_id: str | None = field(STRING, nullable="0+")
    rack_id: str | None = field(STRING, nullable="0+")
    client_id: str = field(STRING)
    client_host: str = field(STRING)
    rebalance_timeout_ms: int = field(INT32, default=-1)
    topology_epoch: int = field(INT32)
    process_id: str = field(STRING)
    user_endpoint: Endpoint | None = field(struct(Endpoint), nullable="0+", default=None)
    client_tags: list[KeyValue] = field(array(KeyValue))


class StreamsGroupTargetAssignmentMetadataKey(Message, versions="0"):
    group_id: str = field(STRING)


class StreamsGroupTargetAssignmentMetadataValue(Message, versions="0", flexible="0+"):
    assignment_epoch: int = field(INT32)
    assignment_timestamp: int = field(INT64, tag=0, tagged="0+")


class StreamsGroupTargetAssignmentMemberKey(Message, versions="0"):
    group_id: str = field(STRING)
    member_id: str = field(STRING)


class TaskIds(Struct):
    subtopology_id: str = field(STRING)
    partitions: list[int] = field(array(INT32))


class StreamsGroupTargetAssignmentMemberValue(Message, versions="0", flexible="0+"):
    active_tasks: list[TaskIds] = field(array(TaskIds))
    standby_tasks: list[TaskIds] = field(array(TaskIds))
    warmup_tasks: list[TaskIds] = field(array(TaskIds))


class StreamsGroupTopologyKey(Message, versions="0"):
    group_id: str = field(STRING)


class TopicConfig(Struct):
    key: str = field(STRING)
    value: str = field(STRING)


class TopicInfo(Struct):
    name: str = field(STRING)
    partitions: int = field(INT32)
    replication_factor: int = field(INT16)
    topic_configs: list[TopicConfig] = field(array(TopicConfig))


class CopartitionGroup(Struct):
    source_topics: list[int] = field(array(INT16))
    source_topic_regex: list[int] = field(array(INT16))
    repartition_source_topics: list[int] = field(array(INT16))


class Subtopology(Struct):
    subtopology_id: str = field(STRING)
    source_topics: list[str] = field(array(STRING))
    source_topic_regex: list[str] = field(array(STRING))
    state_changelog_topics: list[TopicInfo] = field(array(TopicInfo))
    repartition_sink_topics: list[str] = field(array(STRING))
    repartition_source_topics: list[TopicInfo] = field(array(TopicInfo))
    copartition_groups: list[CopartitionGroup] = field(array(CopartitionGroup))


class StreamsGroupTopologyValue(Message, versions="0", flexible="0+"):
    epoch: int = field(INT32)
    subtopologies: list[Subtopology] = field(array(Subtopology))
