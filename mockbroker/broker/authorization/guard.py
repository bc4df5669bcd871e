"""Guard around a handler: it refuses what the client has no right to, and lets the rest pass."""

from collections.abc import Callable, Mapping
from typing import Final

from mockbroker.broker.api_table import Route
from mockbroker.broker.authorization.requirements import (
    AUTHORIZED_APIS,
    ITEMS,
    ON_CONFIGS,
    OWNER_OF_CONFIGS,
    REFUSALS,
    WHOLE,
    Right,
    includes_idempotence,
)
from mockbroker.broker.authorization.topic_rights import topic_refusal
from mockbroker.broker.call import Answer, Call, Handle
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.handlers.config_resources import NamesResource
from mockbroker.broker.handlers.default_messages import DEFAULT_MESSAGES
from mockbroker.broker.outcomes import CloseConnection, Unanswered
from mockbroker.broker.request_items import Item, Path, items_of, subset
from mockbroker.broker.request_path import tried
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.error_response import error_response
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.merged_answer import merged
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.messages.create_topics import CreateTopicsResponse
from mockbroker.protocol.messages.describe_groups import DescribeGroupsResponse
from mockbroker.protocol.messages.find_coordinator import FindCoordinatorResponse
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.initialize_share_group_state import InitializeStateData
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.messages.read_share_group_state import ReadStateData
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Uuid
from mockbroker.state.security.acl import CLUSTER_NAME, AclOperation, AclResource

_NOT_AUTHORIZED: Final = "not_authorized"
_WITH_MESSAGE: Final = frozenset(
    {ApiKey.ALTER_CONFIGS, ApiKey.INCREMENTAL_ALTER_CONFIGS, ApiKey.DESCRIBE_PRODUCERS}
)
"""APIs whose refused items have an error message in some releases."""
_WITHOUT_MESSAGE: Final = frozenset(
    {
        ApiKey.CONSUMER_GROUP_HEARTBEAT,
        ApiKey.CREATE_TOPICS,
        ApiKey.DESCRIBE_CLIENT_QUOTAS,
        ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS,
        ApiKey.ELECT_LEADERS,
        ApiKey.SHARE_ACKNOWLEDGE,
        ApiKey.SHARE_FETCH,
        ApiKey.SHARE_GROUP_HEARTBEAT,
        ApiKey.STREAMS_GROUP_HEARTBEAT,
        ApiKey.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE,
    }
)
"""APIs that are refused as a whole without an error message."""


_MESSAGES_LEFT_OUT: Final[Mapping[ApiKey, frozenset[ErrorCode]]] = {
    ApiKey.PRODUCE: frozenset({ErrorCode.CLUSTER_AUTHORIZATION_FAILED}),
}
"""Errors of requests that are refused as a whole without an error message."""
_TOPIC_FOR_EACH_PARTITION: Final = frozenset(
    {ApiKey.INITIALIZE_SHARE_GROUP_STATE, ApiKey.READ_SHARE_GROUP_STATE}
)
"""APIs that, when refused as a whole, name a topic anew for each of its partitions."""


def guarded_routes(served: Mapping[int, Route]) -> dict[int, Route]:
    """Return the routes of the APIs whose rights are checked, with the checks."""
    return {
        key: Route(route.api_key, route.versions, _guarded(route.handle))
        for key, route in served.items()
        if route.api_key in AUTHORIZED_APIS
    }


def _guarded(handle: Handle) -> Handle:
    """Wrap a handler into the checks of its API."""

    def checked(request: Message, call: Call) -> Answer:
        try:
            _check_whole(request, call)
        except ApiError as refusal:
            return _refused_whole(request, call, refusal)
        denied = _denied(request, call)
        if not denied:
            return handle(request, call)
        return _without(denied, handle, request, call)

    return checked


def _check_whole(request: Message, call: Call) -> None:
    """Check the rights to a request as a whole.

    Raises:
        ApiError: the error of the first right that the client does not have.

    """
    for right in WHOLE.get(call.api_key, ()):
        if right.applies is not None and not right.applies(request, call):
            continue
        if not right.is_held(call, right.name_in(request)):
            if isinstance(request, ProduceRequest) and not request.acks:
                raise CloseConnection(_NOT_AUTHORIZED, api=call.api_key.name)
            raise _refusal(REFUSALS[right.resource_type], call)
    if isinstance(request, InitProducerIdRequest) and request.transactional_id is None:
        _check_idempotent_write(call)


def _refused_whole(request: Message, call: Call, refusal: ApiError) -> Message:
    call.service.refusals.note(
        "request_refused", refusal, api=call.api_key.name, client_id=call.client_id
    )
    if call.api_key in _TOPIC_FOR_EACH_PARTITION:
        _split_topics(request)
    refused = error_response(request, call.api_version, refusal, paced=call.paced)
    _complete(refused, call)
    return refused


def _split_topics(request: Message) -> None:
    """Give each partition of a request that is refused a topic of its own."""
    topics: list[InitializeStateData | ReadStateData] = request.topics  # type: ignore[attr-defined]
    topics[:] = [
        type(topic)(topic_id=topic.topic_id, partitions=[partition])  # type: ignore[list-item]
        for topic in topics
        for partition in topic.partitions
    ]


def _check_idempotent_write(call: Call) -> None:
    authorizer = call.service.cluster.authorizer
    assert authorizer is not None
    if call.allows(AclOperation.IDEMPOTENT_WRITE, AclResource.CLUSTER):
        return
    if not includes_idempotence(call) or not authorizer.allows_some(
        call.principal, call.client_address, AclOperation.WRITE, AclResource.TOPIC
    ):
        raise _refusal(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, call)


def _refusal(code: ErrorCode, call: Call) -> ApiError:
    if call.api_key is ApiKey.FIND_COORDINATOR:
        return ApiError(code, _lookup_message(code, call))
    has_none = call.api_key in _WITHOUT_MESSAGE or code in _MESSAGES_LEFT_OUT.get(call.api_key, ())
    return ApiError(code, "" if has_none else DEFAULT_MESSAGES[code])


def _lookup_message(code: ErrorCode, call: Call) -> str:
    if code is ErrorCode.GROUP_AUTHORIZATION_FAILED:
        return call.cluster.options.security.group_lookup_refusal
    return DEFAULT_MESSAGES[code] if call.cluster.options.coordinator_has_message else ""


def _denied(request: Message, call: Call) -> dict[ErrorCode, list[Item]]:
    """Return the items that the client has no right to, by their errors."""
    rights = [
        right
        for right in ITEMS.get(call.api_key, ())
        if right.applies is None or right.applies(request, call)
    ]
    denied = _denied_resources(request, call)
    if not rights:
        return denied
    decided: dict[tuple[Right, object], bool] = {}

    def topic_name(topic_id: Uuid) -> str | None:
        topic = call.cluster.topics.by_id(topic_id)
        return None if topic is None else topic.name

    for item in call.paced(items_of(request, call.api_version, topic_name)):
        for right in rights:
            name = item.named.get(right.named_by)
            if not isinstance(name, str):  # not of this type, or an unknown topic's id
                continue
            key = right, name
            if key not in decided:
                decided[key] = right.is_held(call, name)
            if not decided[key]:
                denied.setdefault(_code(right.resource_type, name, call), []).append(item)
                break
    return denied


def _denied_resources(request: Message, call: Call) -> dict[ErrorCode, list[Item]]:
    """Return the resources whose configs the client has no right to read or alter."""
    denied: dict[ErrorCode, list[Item]] = {}
    operation = ON_CONFIGS.get(call.api_key)
    if operation is None:
        return denied
    resources: list[NamesResource] = request.resources  # type: ignore[attr-defined]
    for index, each in enumerate(resources):
        kind = OWNER_OF_CONFIGS.get(each.resource_type)
        if kind is None:
            continue
        name = CLUSTER_NAME if kind is AclResource.CLUSTER else each.resource_name
        if not call.allows(operation, kind, name):
            item = Item((("resources", index),), {})
            denied.setdefault(_code(kind, name, call), []).append(item)
    return denied


def _code(resource_type: AclResource, name: str, call: Call) -> ErrorCode:
    if resource_type is AclResource.TOPIC:
        return topic_refusal(call, name)
    return REFUSALS[resource_type]


def _without(
    denied: dict[ErrorCode, list[Item]], handle: Handle, request: Message, call: Call
) -> Answer:
    """Handle the items that are not denied, and add the errors of the others."""
    paths = {item.path for items in denied.values() for item in items}
    others = _paths_beside(paths, request, call)
    answer: Answer = None
    if others:
        rest = subset(request, others)
        answer = tried(lambda: handle(rest, call), rest, call)
    return _then(answer, call, lambda response: _merged(response, denied, request, call))


def _paths_beside(paths: set[Path], request: Message, call: Call) -> frozenset[Path]:
    listed = items_of(request, call.api_version, lambda _topic_id: None)
    return frozenset(item.path for item in listed if item.path not in paths)


def _then(answer: Answer, call: Call, change: Callable[[Message | None], Answer]) -> Answer:
    """Change a response: now, or when a delayed one is complete."""
    if isinstance(answer, DelayedResponse):
        attempt = answer.attempt

        def again(is_last: bool) -> Answer:
            response = attempt(is_last)
            return None if response is None else _then(response, call, change)

        answer.attempt = again
        return answer
    if isinstance(answer, Unanswered):  # late: acks=0, or a connection that is to be closed
        return Unanswered(hang_up=True, reason=answer.reason if answer.hang_up else _NOT_AUTHORIZED)
    if isinstance(answer, Encoded):
        return change(decode(response_type(call.api_key), call.api_version, answer.body))
    assert answer is None or isinstance(answer, Message), answer
    return change(answer)


def _merged(
    response: Message | None,
    denied: dict[ErrorCode, list[Item]],
    request: Message,
    call: Call,
) -> Message:
    """Add the errors of the denied items to a response.

    Raises:
        CloseConnection: the client wants no response, and learns of the errors as from Kafka.

    """
    if isinstance(request, ProduceRequest) and not request.acks:
        raise CloseConnection(_NOT_AUTHORIZED, api=call.api_key.name)
    for code, items in denied.items():
        asked = subset(request, {item.path for item in items})
        refused = error_response(
            asked,
            call.api_version,
            ApiError(code, _item_message(code, call)),
            deepest=code is not ErrorCode.GROUP_AUTHORIZATION_FAILED,
        )
        _complete(refused, call)
        response = refused if response is None else merged(response, refused, call.api_version)
    assert response is not None
    return response


def _item_message(code: ErrorCode, call: Call) -> str:
    """Return the error message of an item: most APIs have none."""
    options = call.cluster.options.security
    if call.api_key is ApiKey.CREATE_TOPICS:
        return "Authorization failed."
    if call.api_key is ApiKey.CREATE_PARTITIONS:
        return options.refused_partitions_message
    if call.api_key is ApiKey.DESCRIBE_CONFIGS and options.refused_descriptions_have_message:
        return DEFAULT_MESSAGES[code]
    if call.api_key in _WITH_MESSAGE and code in options.messages_of_refused_items:
        return DEFAULT_MESSAGES[code]
    return ""


def _complete(refused: Message, call: Call) -> None:
    """Set the other fields of refused items as Kafka does."""
    if isinstance(refused, FindCoordinatorResponse):
        for coordinator in refused.coordinators:
            coordinator.error_message = ""
    if isinstance(refused, InitProducerIdResponse):
        refused.producer_epoch = call.cluster.options.security.refused_producer_epoch
    if isinstance(refused, DescribeGroupsResponse):
        for group in refused.groups:
            group.authorized_operations = call.cluster.options.authorized_operations_not_asked
    if (
        isinstance(refused, CreateTopicsResponse)
        and call.cluster.options.security.refused_topics_hide_configs
    ):
        for topic in refused.topics:
            if not call.allows(AclOperation.DESCRIBE_CONFIGS, AclResource.TOPIC, topic.name):
                topic.topic_config_error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
