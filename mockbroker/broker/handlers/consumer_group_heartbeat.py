"""ConsumerGroupHeartbeat: join, stay in and leave a consumer group (KIP-848)."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.broker.handlers.newer_groups import (
    is_enabled,
    may_describe,
    refuse,
    topic_filter,
)
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.state.group.consumer.consumer_heartbeat import ConsumerHeartbeat, check_heartbeat


def consumer_group_heartbeat(request: ConsumerGroupHeartbeatRequest, call: Call) -> Message:
    """Pass a heartbeat to the group's coordinator, and return what the member may own."""
    if not is_enabled(call):
        return refuse(request, call)
    members = coordinator_of(call).consumers
    if not may_describe(call, request.subscribed_topic_names or ()):
        return ConsumerGroupHeartbeatResponse(error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    try:
        heartbeat = _read(request, call)
        check_heartbeat(
            heartbeat,
            members.assignors,
            api_version=call.api_version,
            may_be_empty=call.cluster.options.consumer_groups.subscription_may_be_empty,
        )
        result = members.heartbeat(heartbeat, call.now_ms)
    except ApiError as refusal:
        call.service.refusals.note(
            "consumer_group_heartbeat_refused",
            refusal,
            group_id=request.group_id,
            client_id=call.client_id,
        )
        # Kafka does not tell clients the reason of an error of its own.
        is_internal = refusal.code is ErrorCode.UNKNOWN_SERVER_ERROR
        why = None if is_internal else refusal.why
        return ConsumerGroupHeartbeatResponse(error_code=refusal.code, error_message=why)
    response = ConsumerGroupHeartbeatResponse(
        member_id=result.member_id,
        member_epoch=result.member_epoch,
        heartbeat_interval_ms=result.heartbeat_interval_ms,
    )
    if result.assigned is not None:
        response.assignment = Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=topic_id, partitions=sorted(partitions))
                for topic_id, partitions in call.paced(result.assigned.items())
            ]
        )
    return response


def _read(request: ConsumerGroupHeartbeatRequest, call: Call) -> ConsumerHeartbeat:
    names, owned = request.subscribed_topic_names, request.topic_partitions
    return ConsumerHeartbeat(
        request.group_id,
        request.member_id,
        request.member_epoch,
        request.instance_id,
        request.rack_id,
        request.rebalance_timeout_ms,
        None if names is None else frozenset(names),
        request.subscribed_topic_regex,
        request.server_assignor,
        None if owned is None else {each.topic_id: frozenset(each.partitions) for each in owned},
        call.client_id or "",
        call.client_host,
        topic_filter(call),
    )
