"""Metadata: the brokers, the topics, and the leaders of their partitions.

An empty list of topics means all topics in v0; later versions use null. From v4, a client sets
whether missing topics may be created (KIP-204); from v12 it may request topics by id (KIP-516). A
topic that is created for a client appears from the next request on.
"""

from collections.abc import Iterable
from typing import Final

from mockbroker.broker.authorization.topic_rights import may_create, topic_refusal
from mockbroker.broker.call import Call
from mockbroker.broker.handlers.authorized_operations import (
    TOPIC_OPERATIONS,
    allowed_operations,
    authorized_operations,
    operations_on_cluster,
)
from mockbroker.broker.topic_views import partitions_view, without_offline_replicas
from mockbroker.protocol.codec import encode
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponseTopic,
)
from mockbroker.protocol.types import ZERO_UUID, Uuid
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import INTERNAL_TOPICS, Topic
from mockbroker.state.topic.topic_name import check_topic_name, is_legal_topic_name

FIRST_WITH_TOPIC_IDS: Final = 10
FIRST_BY_TOPIC_ID: Final = 12


def metadata(request: MetadataRequest, call: Call) -> MetadataResponse | Encoded:
    """Return the brokers and the requested topics.

    Clients request all topics again and again. With ten thousand partitions, encoding that response
    takes longer than building it, so its bytes are cached until its content changes.
    """
    refused = _refused_by_version(request, call)
    if refused is not None:
        return refused
    if not _requests_all(request, call) or call.service.cluster.authorizer is not None:
        return _answer(request, call)
    cluster = call.cluster
    revision = (cluster.topics.revision, cluster.metadata_revision)
    cache_key = (
        call.api_version,
        call.listener,
        request.include_topic_authorized_operations,
        request.include_cluster_authorized_operations,
    )
    cached = call.service.metadata_of_all.get(cache_key)
    if cached is None or cached[0] != revision:
        body = encode(_answer(request, call), call.api_version)
        cached = call.service.metadata_of_all[cache_key] = (revision, Encoded(body))
    return cached[1]


def _requests_all(request: MetadataRequest, call: Call) -> bool:
    return request.topics is None or (call.api_version == 0 and not request.topics)


def _answer(request: MetadataRequest, call: Call) -> MetadataResponse:
    cluster = call.cluster
    operations = authorized_operations(
        call, TOPIC_OPERATIONS, requested=request.include_topic_authorized_operations
    )
    return MetadataResponse(
        brokers=[
            MetadataResponseBroker(
                node_id=broker.node_id, host=broker.host, port=broker.port, rack=broker.rack
            )
            for broker in (each.seen_from(call.listener) for each in cluster.alive_brokers)
        ],
        cluster_id=cluster.cluster_id,
        controller_id=cluster.controller_id,
        topics=_topics(request, call, operations),
        cluster_authorized_operations=operations_on_cluster(
            call, requested=request.include_cluster_authorized_operations
        ),
    )


def _refused_by_version(request: MetadataRequest, call: Call) -> MetadataResponse | None:
    """Refuse a request that identifies topics in a way that its version lacks."""
    topics = request.topics or ()
    is_nameless = any(topic.name is None and topic.topic_id == ZERO_UUID for topic in topics)
    is_by_id = any(topic.topic_id != ZERO_UUID for topic in topics)
    may_be_by_id = call.api_version >= FIRST_BY_TOPIC_ID
    if not is_nameless and (may_be_by_id or not is_by_id):
        return None
    refusal = ApiError(
        ErrorCode.UNKNOWN_SERVER_ERROR if may_be_by_id else ErrorCode.INVALID_REQUEST,
        "a topic has neither name nor id"
        if is_nameless
        else f"topics are requested by id in version {call.api_version}",
    )
    call.service.refusals.note("metadata_refused", refusal, client_id=call.client_id)
    return MetadataResponse(
        error_code=refusal.code,
        topics=[
            MetadataResponseTopic(
                error_code=refusal.code,
                name=topic.name or "",
                topic_id=topic.topic_id,
            )
            for topic in call.paced(topics)
        ],
    )


def _topics(request: MetadataRequest, call: Call, operations: int) -> list[MetadataResponseTopic]:
    requested = request.topics
    if requested is None or _requests_all(request, call):
        hidden = _hidden(call, [topic.name for topic in call.cluster.topics])
        return [
            _known(topic, call, operations)
            for topic in call.paced(list(call.cluster.topics))
            if topic.name not in hidden
        ]
    topic_ids = dict.fromkeys(topic.topic_id for topic in requested if topic.topic_id != ZERO_UUID)
    if topic_ids:
        return _by_id(list(topic_ids), call, operations)
    names = dict.fromkeys(topic.name for topic in requested if topic.name is not None)
    return _by_name(list(names), call, operations, may_create=request.allow_auto_topic_creation)


def _by_id(topic_ids: list[Uuid], call: Call, operations: int) -> list[MetadataResponseTopic]:
    found = {topic_id: call.cluster.topics.by_id(topic_id) for topic_id in call.paced(topic_ids)}
    answers = [
        MetadataResponseTopic(
            error_code=ErrorCode.UNKNOWN_TOPIC_ID,
            name=None,
            topic_id=topic_id,
            topic_authorized_operations=operations,
        )
        for topic_id, topic in call.paced(found.items())
        if topic is None
    ]
    topics = [topic for topic in found.values() if topic is not None]
    hidden = _hidden(call, [topic.name for topic in topics])
    answers += [_known(topic, call, operations) for topic in topics if topic.name not in hidden]
    answers += [
        MetadataResponseTopic(
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            name=None,
            topic_id=topic.topic_id,
            topic_authorized_operations=call.cluster.options.authorized_operations_not_asked,
        )
        for topic in topics
        if topic.name in hidden
    ]
    return answers


def _by_name(
    names: list[str], call: Call, operations: int, *, may_create: bool
) -> list[MetadataResponseTopic]:
    by_name = call.cluster.topics.by_name
    hidden = _hidden(call, names)
    if hidden:
        names = [name for name in names if name not in hidden]
    answers = [
        _known(by_name[name], call, operations) for name in call.paced(names) if name in by_name
    ]
    refused = [
        name for name in names if name not in by_name and may_create and not _may_create(call, name)
    ]
    answers += [
        MetadataResponseTopic(
            error_code=_unknown(name, call, may_create=may_create),
            name=name,
            is_internal=name in INTERNAL_TOPICS,
            topic_authorized_operations=allowed_operations(
                call, operations, AclResource.TOPIC, name
            ),
        )
        for name in call.paced(names)
        if name not in by_name and name not in refused
    ]
    answers += [
        MetadataResponseTopic(
            error_code=topic_refusal(call, name),
            name=name,
            is_internal=name in refused and name in INTERNAL_TOPICS,
            topic_authorized_operations=call.cluster.options.authorized_operations_not_asked,
        )
        for name in (*refused, *hidden)
    ]
    return answers


def _hidden(call: Call, names: Iterable[str]) -> dict[str, None]:
    """Return the topics that the client may not describe, in order."""
    if call.service.cluster.authorizer is None:
        return {}
    kind = AclResource.TOPIC
    return {name: None for name in names if not call.allows(AclOperation.DESCRIBE, kind, name)}


def _may_create(call: Call, name: str) -> bool:
    """Return whether the client may create a topic, if brokers create topics for clients."""
    return may_create(call, name) or not call.cluster.configs.broker_flag(
        "auto.create.topics.enable", call.broker_id
    )


def _known(topic: Topic, call: Call, operations: int) -> MetadataResponseTopic:
    fenced = call.cluster.fenced
    knows_eligible_leaders = call.cluster.options.elr_pins_min_insync_replicas
    partitions = partitions_view(topic, fenced, knows_eligible_leaders=knows_eligible_leaders)
    if fenced and call.api_version == 0:
        partitions = without_offline_replicas(partitions, fenced)
    answer = MetadataResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.is_internal,
        partitions=partitions,
        topic_authorized_operations=allowed_operations(
            call, operations, AclResource.TOPIC, topic.name
        ),
    )
    if call.cluster.options.metadata_has_topic_limits:
        config = topic.partitions[0].config
        answer.message_format_version = config.record_version
        answer.max_message_bytes = config.max_message_bytes
    return answer


def _unknown(name: str, call: Call, *, may_create: bool) -> ErrorCode:
    """Return the error for a missing topic, and create the topic if that is allowed."""
    cluster = call.cluster
    options = cluster.options
    if not may_create or not cluster.configs.broker_flag(
        "auto.create.topics.enable", call.broker_id
    ):
        if options.metadata_checks_topic_names and not is_legal_topic_name(name):
            return ErrorCode.INVALID_TOPIC_EXCEPTION
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    wanted = NewTopic(name=name)
    if name in INTERNAL_TOPICS:
        wanted = internal_topic(name, cluster.configs)
    try:
        if options.topics.auto_create_tells_refusals:
            cluster.replication.plan_topic(wanted)
        else:
            check_topic_name(name, options.admin_refusals)
    except ApiError as refusal:
        call.service.refusals.note("auto_create_refused", refusal, topic=name)
        return refusal.code
    cluster.create_topic_later(wanted)
    return options.topics.auto_create_answer
