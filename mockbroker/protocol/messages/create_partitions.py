"""CreatePartitions: add partitions to a topic (KIP-195)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    INT16,
    INT32,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class CreatePartitionsAssignment(Struct):
    broker_ids: list[int] = field(array(INT32))


class CreatePartitionsTopic(Struct):
    name: str = field(STRING)
    count: int = field(INT32)
    assignments: list[CreatePartitionsAssignment] | None = field(
        array(CreatePartitionsAssignment), nullable="0+"
    )


class CreatePartitionsRequest(
    Message, api=ApiKey.CREATE_PARTITIONS, kind="request", versions="0-3", flexible="2+"
):
    topics: list[CreatePartitionsTopic] = field(array(CreatePartitionsTopic))
    timeout_ms: int = field(INT32)
    validate_only: bool = field(BOOL)


class CreatePartitionsTopicResult(Struct):
    name: str = field(STRING)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)


class CreatePartitionsResponse(
    Message, api=ApiKey.CREATE_PARTITIONS, kind="response", versions="0-3", flexible="2+"
):
    throttle_time_ms: int = field(INT32)
    results: list[CreatePartitionsTopicResult] = field(array(CreatePartitionsTopicResult))
