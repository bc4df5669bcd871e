"""CreateTopics: create topics (KIP-4)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    INT8,
    INT16,
    INT32,
    STRING,
    UUID,
    Message,
    Struct,
    array,
    field,
)
from mockbroker.protocol.types import Uuid


class CreatableReplicaAssignment(Struct):
    partition_index: int = field(INT32)
    broker_ids: list[int] = field(array(INT32))


class CreatableTopicConfig(Struct):
    name: str = field(STRING)
    value: str | None = field(STRING, nullable="0+")


class CreatableTopic(Struct):
    name: str = field(STRING)
    num_partitions: int = field(INT32)
    replication_factor: int = field(INT16)
    assignments: list[CreatableReplicaAssignment] = field(array(CreatableReplicaAssignment))
    configs: list[CreatableTopicConfig] = field(array(CreatableTopicConfig))


class CreateTopicsRequest(
    Message, api=ApiKey.CREATE_TOPICS, kind="request", versions="0-7", flexible="5+"
):
    topics: list[CreatableTopic] = field(array(CreatableTopic))
    timeout_ms: int = field(INT32, default=60000)
    validate_only: bool = field(BOOL, "1+")


class CreatableTopicConfigs(Struct):
    name: str = field(STRING)
    value: str | None = field(STRING, nullable="0+")
    read_only: bool = field(BOOL)
    config_source: int = field(INT8, default=-1)
    is_sensitive: bool = field(BOOL)


class CreatableTopicResult(Struct):
    name: str = field(STRING)
    topic_id: Uuid = field(UUID, "7+")
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, "1+", nullable="1+")
    topic_config_error_code: int = field(INT16, "5+", tag=0, tagged="5+")
    num_partitions: int = field(INT32, "5+", default=-1)
    replication_factor: int = field(INT16, "5+", default=-1)
    configs: list[CreatableTopicConfigs] | None = field(
        array(CreatableTopicConfigs), "5+", nullable="5+"
    )


class CreateTopicsResponse(
    Message, api=ApiKey.CREATE_TOPICS, kind="response", versions="0-7", flexible="5+"
):
    throttle_time_ms: int = field(INT32, "2+")
    topics: list[CreatableTopicResult] = field(array(CreatableTopicResult))
