"""StreamsGroupHeartbeat: join, stay in and leave a streams group (KIP-1071)."""

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


class KeyValue(Struct):
    key: str = field(STRING)
    value: str = field(STRING)


class TopicInfo(Struct):
    name: str = field(STRING)
    partitions: int = field(INT32)
    replication_factor: int = field(INT16)
    topic_configs: list[KeyValue] = field(array(KeyValue))


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


class Topology(Struct):
    epoch: int = field(INT32)
    subtopologies: list[Subtopology] = field(array(Subtopology))


class TaskIds(Struct):
    subtopology_id: str = field(STRING)
    partitions: list[int] = field(array(INT32))


class Endpoint(Struct):
    host: str = field(STRING)
    port: int = field(UINT16)


class TaskOffset(Struct):
    subtopology_id: str = field(STRING)
    partition: int = field(INT32)
    offset: int = field(INT64)


class StreamsGroupHeartbeatRequest(
    Message, api=ApiKey.STREAMS_GROUP_HEARTBEAT, kind="request", versions="0-1", flexible="0+"
):
    group_id: str = field(STRING)
    member_id: str = field(STRING)
    member_epoch: int = field(INT32)
    endpoint_information_epoch: int = field(INT32)
    instance_id: str | None = field(STRING, nullable="0+", default=None)
    rack_id: str | None = field(STRING, nullable="0+", default=None)
    rebalance_timeout_ms: int = field(INT32, default=-1)
    topology: Topology | None = field(struct(Topology), nullable="0+", default=None)
    active_tasks: list[TaskIds] | None = field(array(TaskIds), nullable="0+", default=None)
    standby_tasks: list[TaskIds] | None = field(array(TaskIds), nullable="0+", default=None)
    warmup_tasks: list[TaskIds] | None = field(array(TaskIds), nullable="0+", default=None)
    process_id: str | None = field(STRING, nullable="0+", default=None)
    user_endpoint: Endpoint | None = field(struct(Endpoint), nullable="0+", default=None)
    client_tags: list[KeyValue] | None = field(array(KeyValue), nullable="0+", default=None)
    task_offsets: list[TaskOffset] | None = field(array(TaskOffset), nullable="0+", default=None)
    task_end_offsets: list[TaskOffset] | None = field(
        array(TaskOffset), nullable="0+", default=None
    )
    shutdown_application: bool = field(BOOL)


class Status(Struct):
    status_code: int = field(INT8)
    status_detail: str = field(STRING)


class TopicPartition(Struct):
    topic: str = field(STRING)
    partitions: list[int] = field(array(INT32))


class EndpointToPartitions(Struct):
    user_endpoint: Endpoint = field(struct(Endpoint))
    active_partitions: list[TopicPartition] = field(array(TopicPartition))
    standby_partitions: list[TopicPartition] = field(array(TopicPartition))


class StreamsGroupHeartbeatResponse(
    Message, api=ApiKey.STREAMS_GROUP_HEARTBEAT, kind="response", versions="0-1", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    member_id: str = field(STRING)
    member_epoch: int = field(INT32)
    heartbeat_interval_ms: int = field(INT32)
    acceptable_recovery_lag_legacy: int = field(INT32, "0")
    task_offset_interval_ms: int = field(INT32)
    acceptable_recovery_lag: int = field(INT64, "1+", default=-1)
    status: list[Status] | None = field(array(Status), nullable="0+")
    active_tasks: list[TaskIds] | None = field(array(TaskIds), nullable="0+", default=None)
    standby_tasks: list[TaskIds] | None = field(array(TaskIds), nullable="0+", default=None)
    warmup_tasks: list[TaskIds] | None = field(array(TaskIds), nullable="0+", default=None)
    topology_description_required: bool = field(BOOL, "1+")
    endpoint_information_epoch: int = field(INT32)
    partitions_by_user_endpoint: list[EndpointToPartitions] | None = field(
        array(EndpointToPartitions), nullable="0+", default=None
    )
