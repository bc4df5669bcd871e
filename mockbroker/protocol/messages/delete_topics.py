"""DeleteTopics: delete topics (KIP-4; by topic id from v6, KIP-516)."""

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
)
from mockbroker.protocol.types import Uuid


class DeleteTopicState(Struct):
    name: str | None = field(STRING, nullable="0+", default=None)
    topic_id: Uuid = field(UUID)


class DeleteTopicsRequest(
    Message, api=ApiKey.DELETE_TOPICS, kind="request", versions="0-6", flexible="4+"
):
    topics: list[DeleteTopicState] = field(array(DeleteTopicState), "6+")
    topic_names: list[str] = field(array(STRING), "0-5")
    timeout_ms: int = field(INT32)


class DeletableTopicResult(Struct):
    name: str | None = field(STRING, nullable="6+")
    topic_id: Uuid = field(UUID, "6+")
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, "5+", nullable="5+", default=None)


class DeleteTopicsResponse(
    Message, api=ApiKey.DELETE_TOPICS, kind="response", versions="0-6", flexible="4+"
):
    throttle_time_ms: int = field(INT32, "1+")
    responses: list[DeletableTopicResult] = field(array(DeletableTopicResult))
