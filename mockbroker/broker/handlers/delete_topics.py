"""DeleteTopics: delete topics by name, and from v6 by id (KIP-4, KIP-516)."""

from typing import Final, TypeAlias

from mockbroker.broker.authorization.topic_rights import topic_refusal
from mockbroker.broker.call import Call
from mockbroker.broker.handlers.admin_requests import (
    Deadline,
    check_asked_controller,
    repeated_last,
    wake_readers,
)
from mockbroker.broker.handlers.default_messages import DEFAULT_MESSAGES
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)
from mockbroker.protocol.types import ZERO_UUID, Uuid
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.topic.topic import Topic

FIRST_WITH_TOPIC_IDS: Final = 6
FIRST_WITH_DISABLED_ERROR: Final = 3

_NOT_AUTHORIZED: Final = "Topic authorization failed."

Wanted: TypeAlias = tuple[str | None, Uuid]
"""Topic of a request: its name, or its id."""


def delete_topics(request: DeleteTopicsRequest, call: Call) -> DeleteTopicsResponse:
    """Delete each existing topic, with its records and configs."""
    wanted: list[Wanted]
    if call.api_version >= FIRST_WITH_TOPIC_IDS:
        wanted = [(state.name, state.topic_id) for state in request.topics]
    else:
        wanted = [(name, ZERO_UUID) for name in request.topic_names]
    deadline = Deadline(call, request.timeout_ms)
    if call.cluster.options.topics.deleted_topics_may_repeat:
        wanted = list(dict.fromkeys(wanted))
    accepted, repeated = repeated_last(call, wanted)
    by_both = _named_by_both(wanted, call)
    refused = {key for topic in by_both for key in _names_of(topic)}
    results = {
        key: _delete(key, call, deadline)
        for key in call.paced(dict.fromkeys(accepted))
        if key not in refused
    }
    answers = [results[key] for key in accepted if key in results]
    answers += [_repeated(key) for key in call.paced(repeated) if key not in results]
    answers += [
        _refused_as_repeated(
            topic.name,
            topic.topic_id,
            "The provided topic name maps to an ID that was already supplied.",
        )
        for topic in by_both
    ]
    return DeleteTopicsResponse(responses=answers)


def _named_by_both(wanted: list[Wanted], call: Call) -> list[Topic]:
    """Return the topics that a request lists both by name and by id."""
    topics = [call.cluster.topics.get(name) for name, _ in call.paced(wanted) if name is not None]
    by_id = {topic_id for name, topic_id in wanted if name is None}
    return [topic for topic in topics if topic is not None and topic.topic_id in by_id]


def _names_of(topic: Topic) -> tuple[Wanted, Wanted]:
    return (topic.name, ZERO_UUID), (None, topic.topic_id)


def _delete(wanted: Wanted, call: Call, deadline: Deadline) -> DeletableTopicResult:
    name, topic_id = wanted
    try:
        check_asked_controller(call)
        _check_enabled(call)
        deadline.check_before_work()
        topic = _find(wanted, call)
        if not _may(AclOperation.DELETE, topic.name, call):
            name = topic.name if _may(AclOperation.DESCRIBE, topic.name, call) else name
            raise ApiError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, _NOT_AUTHORIZED)
        call.cluster.delete_topic(topic)
        wake_readers(call, topic)
        deadline.check_after_work()
    except ApiError as refusal:
        named = name if name is not None else str(topic_id)
        call.service.refusals.note("delete_topics_refused", refusal, topic=named)
        return DeletableTopicResult(
            name=name,
            topic_id=topic_id,
            error_code=refusal.code,
            error_message=(refusal.why or DEFAULT_MESSAGES.get(refusal.code))
            if call.cluster.options.topics.deleted_topics_have_messages
            else None,
        )
    has_id = name is None or call.cluster.options.topics.topics_deleted_by_name_have_ids
    return DeletableTopicResult(name=topic.name, topic_id=topic.topic_id if has_id else ZERO_UUID)


def _may(operation: AclOperation, name: str, call: Call) -> bool:
    by_cluster = call.cluster.options.security.cluster_rights_delete_topics
    return (by_cluster and call.allows(AclOperation.DELETE, AclResource.CLUSTER)) or call.allows(
        operation, AclResource.TOPIC, name
    )


def _check_enabled(call: Call) -> None:
    if call.cluster.configs.broker_flag("delete.topic.enable", call.broker_id):
        return
    code = ErrorCode.TOPIC_DELETION_DISABLED
    if call.api_version < FIRST_WITH_DISABLED_ERROR:
        code = ErrorCode.INVALID_REQUEST
    raise ApiError(code)


def _find(wanted: Wanted, call: Call) -> Topic:
    name, topic_id = wanted
    if name is None and topic_id == ZERO_UUID:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Neither topic name nor id were specified.")
    if name is not None and topic_id != ZERO_UUID:
        raise ApiError(
            ErrorCode.INVALID_REQUEST, "You may not specify both topic name and topic id."
        )
    hides = AclOperation.DESCRIBE
    if not call.cluster.options.security.cluster_rights_delete_topics:
        hides = AclOperation.DELETE
    if name is not None and not _may(hides, name, call):
        raise ApiError(topic_refusal(call, name), _NOT_AUTHORIZED)
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
    why = "Duplicate topic id." if name is None else "Duplicate topic name."
    return _refused_as_repeated(name, topic_id, why)


def _refused_as_repeated(name: str | None, topic_id: Uuid, why: str) -> DeletableTopicResult:
    return DeletableTopicResult(
        name=name, topic_id=topic_id, error_code=ErrorCode.INVALID_REQUEST, error_message=why
    )
