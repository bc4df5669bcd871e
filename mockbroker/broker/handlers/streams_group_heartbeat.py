"""StreamsGroupHeartbeat: join, stay in and leave a streams group (KIP-1071).

Internal topics of the application that do not exist yet are created after the answer.
"""

from collections.abc import Iterable, Mapping

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.broker.handlers.newer_groups import is_enabled, may_describe, refuse
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages import streams_group_heartbeat as wire
from mockbroker.protocol.schema.message import Message
from mockbroker.state.group.streams.streams_answer import with_locked_topics
from mockbroker.state.group.streams.streams_group_member import UserEndpoint
from mockbroker.state.group.streams.streams_heartbeat import (
    SentTopology,
    StreamsHeartbeat,
    StreamsHeartbeatResult,
    check_heartbeat,
)
from mockbroker.state.group.streams.topics.configured_topology import ConfiguredInternalTopic
from mockbroker.state.group.streams.topics.endpoint_partitions import EndpointPartitions
from mockbroker.state.group.streams.topics.topology import (
    CopartitionGroup,
    Subtopology,
    TopicInfo,
)
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.topic.java_hash import texts_in_java_hash_order
from mockbroker.state.topic.replication_control import DEFAULT_COUNT, NewTopic
from mockbroker.state.topic.topic import INTERNAL_TOPICS
from mockbroker.state.topic.topic_name import is_legal_topic_name


def streams_group_heartbeat(request: wire.StreamsGroupHeartbeatRequest, call: Call) -> Message:
    """Pass a heartbeat to the group's coordinator, and return what the member may own."""
    if not is_enabled(call):
        return refuse(request, call)
    try:
        _check_topic_names(request.topology, call)
        members = coordinator_of(call).streams
        heartbeat = _read(request, call)
        check_heartbeat(heartbeat)
        result = members.heartbeat(heartbeat, call.now_ms)
    except ApiError as refusal:
        call.service.refusals.note(
            "streams_group_heartbeat_refused",
            refusal,
            group_id=request.group_id,
            client_id=call.client_id,
        )
        is_failure = refusal.code is ErrorCode.UNKNOWN_SERVER_ERROR
        return wire.StreamsGroupHeartbeatResponse(
            error_code=refusal.code,
            error_message=None if is_failure else refusal.why or None,
            status=[],
        )
    return _answer(_with_internal_topics(result, call))


def _with_internal_topics(result: StreamsHeartbeatResult, call: Call) -> StreamsHeartbeatResult:
    """Have missing internal topics created, or tell the member that it may not create them."""
    missing = result.missing_internal_topics
    locked = [] if _creates_any_topic(call) else [t.name for t in missing if not _creates(call, t)]
    if locked:
        why = f"Unauthorized to CREATE on topics {', '.join(locked)}."
        return result._replace(statuses=with_locked_topics(result.statuses, why))
    for topic in missing:
        replication_factor = topic.replication_factor or DEFAULT_COUNT
        call.cluster.create_topic_later(
            NewTopic(topic.name, topic.partitions, replication_factor, configs=topic.configs)
        )
    return result


def _creates_any_topic(call: Call) -> bool:
    return call.allows(AclOperation.CREATE, AclResource.CLUSTER)


def _creates(call: Call, topic: ConfiguredInternalTopic) -> bool:
    return call.allows(AclOperation.CREATE, AclResource.TOPIC, topic.name)


def _check_topic_names(topology: wire.Topology | None, call: Call) -> None:
    """Check the topics of a topology.

    Raises:
        ApiError: STREAMS_INVALID_TOPOLOGY, TOPIC_AUTHORIZATION_FAILED.

    """
    if topology is None:
        return
    names = dict.fromkeys(
        name
        for each in call.paced(topology.subtopologies)
        for name in (
            *each.source_topics,
            *each.repartition_sink_topics,
            *(topic.name for topic in each.repartition_source_topics),
            *(topic.name for topic in each.state_changelog_topics),
        )
    )
    prohibited = [name for name in names if name in INTERNAL_TOPICS]
    if prohibited:
        raise ApiError(
            ErrorCode.STREAMS_INVALID_TOPOLOGY,
            f"Use of Kafka internal topics {','.join(prohibited)} in a Kafka Streams topology is"
            " prohibited.",
        )
    illegal = [name for name in call.paced(names) if not is_legal_topic_name(name)]
    if illegal:
        raise ApiError(
            ErrorCode.STREAMS_INVALID_TOPOLOGY,
            f"Topic names {','.join(illegal)} are not valid topic names.",
        )
    if not may_describe(call, call.paced(names)):
        raise ApiError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)


def _read(request: wire.StreamsGroupHeartbeatRequest, call: Call) -> StreamsHeartbeat:
    sent, endpoint, tags = request.topology, request.user_endpoint, request.client_tags
    return StreamsHeartbeat(
        request.group_id,
        request.member_id,
        request.member_epoch,
        request.endpoint_information_epoch,
        request.instance_id,
        request.rack_id,
        request.rebalance_timeout_ms,
        None
        if sent is None
        else SentTopology(sent.epoch, list(map(_subtopology, call.paced(sent.subtopologies)))),
        _tasks(request.active_tasks),
        _tasks(request.standby_tasks),
        _tasks(request.warmup_tasks),
        request.process_id,
        None if endpoint is None else UserEndpoint(endpoint.host, endpoint.port),
        None if tags is None else {tag.key: tag.value for tag in tags},
        _offsets(request.task_offsets),
        _offsets(request.task_end_offsets),
        request.shutdown_application,
        call.client_id or "",
        call.client_host,
        call.api_version,
    )


def _subtopology(sent: wire.Subtopology) -> Subtopology:
    return Subtopology(
        sent.subtopology_id,
        tuple(sent.source_topics),
        tuple(sent.source_topic_regex),
        tuple(map(_topic, sent.state_changelog_topics)),
        tuple(sent.repartition_sink_topics),
        tuple(map(_topic, sent.repartition_source_topics)),
        tuple(
            CopartitionGroup(
                tuple(group.source_topics),
                tuple(group.source_topic_regex),
                tuple(group.repartition_source_topics),
            )
            for group in sent.copartition_groups
        ),
    )


def _topic(sent: wire.TopicInfo) -> TopicInfo:
    configs = tuple((config.key, config.value) for config in sent.topic_configs)
    return TopicInfo(sent.name, sent.partitions, sent.replication_factor, configs)


def _tasks(sent: list[wire.TaskIds] | None) -> dict[str, frozenset[int]] | None:
    if sent is None:
        return None
    return {each.subtopology_id: frozenset(each.partitions) for each in sent}


def _offsets(sent: list[wire.TaskOffset] | None) -> list[tuple[str, int, int]] | None:
    if sent is None:
        return None
    return [(each.subtopology_id, each.partition, each.offset) for each in sent]


def _answer(result: StreamsHeartbeatResult) -> wire.StreamsGroupHeartbeatResponse:
    response = wire.StreamsGroupHeartbeatResponse(
        member_id=result.member_id,
        member_epoch=result.member_epoch,
        heartbeat_interval_ms=result.heartbeat_interval_ms,
        task_offset_interval_ms=result.task_offset_interval_ms,
        acceptable_recovery_lag=result.acceptable_recovery_lag,
        status=[
            wire.Status(status_code=status.code, status_detail=status.detail)
            for status in result.statuses
        ],
        endpoint_information_epoch=result.endpoint_epoch,
    )
    if result.assigned is not None:
        response.active_tasks = _task_ids(result.assigned.active)
        response.standby_tasks = _task_ids(result.assigned.standby)
        response.warmup_tasks = _task_ids(result.assigned.warmup)
    if result.endpoints is not None:
        response.partitions_by_user_endpoint = [_endpoint(each) for each in result.endpoints]
    return response


def _task_ids(tasks: Mapping[str, Iterable[int]]) -> list[wire.TaskIds]:
    return [
        wire.TaskIds(subtopology_id=name, partitions=sorted(tasks[name]))
        for name in texts_in_java_hash_order(tasks)
    ]


def _endpoint(known: EndpointPartitions) -> wire.EndpointToPartitions:
    active, standby = (
        [wire.TopicPartition(topic=name, partitions=list(each)) for name, each in partitions]
        for partitions in (known.active, known.standby)
    )
    return wire.EndpointToPartitions(
        user_endpoint=wire.Endpoint(host=known.endpoint.host, port=known.endpoint.port),
        active_partitions=active,
        standby_partitions=standby,
    )
