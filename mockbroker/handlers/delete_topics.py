"""DeleteTopics: topics by name, and since v6 by id (KIP-4, KIP-516)."""

from typing import Final, TypeAlias

from mockbroker.admin_requests import (
    Deadline,
    check_asked_controller,
    repeated_last,
    wake_readers,
)
from mockbroker.call import Call
from mockbroker.default_messages import DEFAULT_MESSAGES
from mockbroker.dispatch import handles
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)
from mockbroker.protocol.types import ZERO_UUID, Uuid
from mockbroker.state.topic.topic import Topic

FIRST_WITH_TOPIC_IDS: Final = 6
FIRST_WITH_DISABLED_ERROR: Final = 3

Wanted: TypeAlias = tuple[str | None, Uuid]
"""A topic as the request names it: by its name, or by its id."""


@handles(ApiKey.DELETE_TOPICS, versions=range(7))
def delete_topics(request: DeleteTopicsRequest, call: Call) -> DeleteTopicsResponse:
    """Delete each topic that exists, its records and configs included."""
    if call.api_version >= FIRST_WITH_TOPIC_IDS:
        wanted = [(state.name, state.topic_id) for state in request.topics]
    else:
        wanted = [(name, ZERO_UUID) for name in request.topic_names]
    deadline = Deadline(call, request.timeout_ms)
    accepted, repeated = repeated_last(call, wanted)
    results = {key: _delete(key, call, deadline) for key in dict.fromkeys(accepted)}
    answers = [results[key] for key in accepted]
    answers += [_repeated(key) for key in repeated if key not in results]
    return DeleteTopicsResponse(responses=answers)


def _delete(wanted: Wanted, call: Call, deadline: Deadline) -> DeletableTopicResult:
    name, topic_id = wanted
    try:
        check_asked_controller(call)
        _check_enabled(call)
        deadline.check_before_work()
        topic = _find(wanted, call)
        call.cluster.delete_topic(topic)
        wake_readers(call, topic)
        deadline.check_after_work()
    except ApiError as refusal:
        return DeletableTopicResult(
            name=name,
            topic_id=topic_id,
            error_code=refusal.code,
            error_message=refusal.why or DEFAULT_MESSAGES.get(refusal.code),
        )
    return DeletableTopicResult(name=topic.name, topic_id=topic.topic_id)


def _check_enabled(call: Call) -> None:
    if call.cluster.configs.broker_flag("delete.topic.enable", call.broker_id):
        return
    code = ErrorCode.TOPIC_DELETION_DISABLED
    if call.api_version < FIRST_WITH_DISABLED_ERROR:
        code = ErrorCode.INVALID_REQUEST
    raise ApiError(code, "Topic deletion is disabled.")


def _find(wanted: Wanted, call: Call) -> Topic:
    name, topic_id = wanted
    if name is None and topic_id == ZERO_UUID:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Neither topic name nor id were specified.")
    if name is not None and topic_id != ZERO_UUID:
        raise ApiError(
            ErrorCode.INVALID_REQUEST, "You may not specify both topic name and topic id."
        )
    if name is None:
        topic = call.cluster.topics.by_id(topic_id)
        refusal = ErrorCode.UNKNOWN_TOPIC_ID
    else:
        topic = call.cluster.topics.get(name)
        refusal = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if topic is None:
        raise ApiError(refusal)
    return topic


def _repeated(wanted: Wanted) -> DeletableTopicResult:
    name, topic_id = wanted
    return DeletableTopicResult(
        name=name,
        topic_id=topic_id,
        error_code=ErrorCode.INVALID_REQUEST,
        error_message="Duplicate topic id." if name is None else "Duplicate topic name.",
    )
