"""StreamsGroupDescribe: the state of streams groups (KIP-1071)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    INT8,
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


class StreamsGroupDescribeRequest(
    Message, api=ApiKey.STREAMS_GROUP_DESCRIBE, kind="request", versions="0-1", flexible="0+"
):
    group_ids: list[str] = field(array(STRING))
    include_authorized_operations: bool = field(BOOL)
    include_topology_description: bool = field(BOOL, "1+")


class KeyValue(Struct):
    key: str = field(STRING)
    value: str = field(STRING)


class TopicInfo(Struct):
    name: str = field(STRING)
    partitions: int = field(INT32)
    replication_factor: int = field(INT16)
    topic_configs: list[KeyValue] = field(array(KeyValue))


class Subtopology(Struct):
    subtopology_id: str = field(STRING)
    source_topics: list[str] = field(array(STRING))
    repartition_sink_topics: list[str] = field(array(STRING))
    state_changelog_topics: list[TopicInfo] = field(array(TopicInfo))
    repartition_source_topics: list[TopicInfo] = field(array(TopicInfo))


class Topology(Struct):
    epoch: int = field(INT32)
    subtopologies: list[Subtopology] | None = field(array(Subtopology), nullable="0+", default=None)


class Endpoint(Struct):
    host: str = field(STRING)
    port: int = field(UINT16)


class TaskOffset(Struct):
    subtopology_id: str = field(STRING)
    partition: int = field(INT32)
    offset: int = field(INT64)


class TaskIds(Struct):
    subtopology_id: str = field(STRING)
    partitions: list[int] = field(array(INT32))


class Assignment(Struct):
    active_tasks: list[TaskIds] = field(array(TaskIds))
    standby_tasks: list[TaskIds] = field(array(TaskIds))
    warmup_tasks: list[TaskIds] = field(array(TaskIds))


class Member(Struct):
    member_id: str = field(STRING)
    member_epoch: int = field(INT32)
    instance_id: str | None = field(STRING, nullable="0+", default=None)
    rack_id: str | None = field(STRING, nullable="0+", default=None)
    client_id: str = field(STRING)
    client_host: str = field(STRING)
    topology_epoch: int = field(INT32)
    process_id: str = field(STRING)
    user_endpoint: Endpoint | None = field(struct(Endpoint), nullable="0+", default=None)
    client_tags: list[KeyValue] = field(array(KeyValue))
    task_offsets: list[TaskOffset] = field(array(TaskOffset))
    task_end_offsets: list[TaskOffset] = field(array(TaskOffset))
    assignment: Assignment = field(struct(Assignment))
    target_assignment: Assignment = field(struct(Assignment))
    is_classic: bool = field(BOOL)


class TopologyDescriptionNode(Struct):
    name: str = field(STRING)
    node_type: int = field(INT8)
    source_topics: list[str] = field(array(STRING))
    sink_topic: str | None = field(STRING, nullable="0+", default=None)
    stores: list[str] = field(array(STRING))
    successors: list[str] = field(array(STRING))


class TopologyDescriptionSubtopology(Struct):
    subtopology_id: str = field(STRING)
    nodes: list[TopologyDescriptionNode] = field(array(TopologyDescriptionNode))


class TopologyDescriptionGlobalStore(Struct):
    source: TopologyDescriptionNode = field(struct(TopologyDescriptionNode))
    processor: TopologyDescriptionNode = field(struct(TopologyDescriptionNode))


class TopologyDescription(Struct):
    subtopologies: list[TopologyDescriptionSubtopology] = field(
        array(TopologyDescriptionSubtopology)
    )
    global_stores: list[TopologyDescriptionGlobalStore] = field(
        array(TopologyDescriptionGlobalStore)
    )


class DescribedGroup(Struct):
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    group_id: str = field(STRING)
    group_state: str = field(STRING)
    group_epoch: int = field(INT32)
    assignment_epoch: int = field(INT32)
    topology: Topology | None = field(struct(Topology), nullable="0+", default=None)
    members: list[Member] = field(array(Member))
    authorized_operations: int = field(INT32, default=-2147483648)
    topology_description: TopologyDescription | None = field(
        struct(TopologyDescription), "1+", nullable="1+", default=None
    )
    topology_description_status: int = field(INT8, "1+")
    assignor_name: str | None = field(STRING, "1+", nullable="1+", default=None)


class StreamsGroupDescribeResponse(
    Message, api=ApiKey.STREAMS_GROUP_DESCRIBE, kind="response", versions="0-1", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    groups: list[DescribedGroup] = field(array(DescribedGroup))
