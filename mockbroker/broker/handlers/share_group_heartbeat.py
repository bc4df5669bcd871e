"""ShareGroupHeartbeat: join, stay in and leave a share group (KIP-932)."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.broker.handlers.newer_groups import is_enabled, may_describe, refuse
from mockbroker.broker.handlers.share_requests import MEMBER_ID_MAX
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.share_group_heartbeat import (
    Assignment,
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.state.group.share.share_heartbeat import ShareHeartbeat, check_heartbeat


def share_group_heartbeat(request: ShareGroupHeartbeatRequest, call: Call) -> Message:
    """Pass a heartbeat to the group's coordinator, and return the member's share partitions."""
    if not is_enabled(call):
        return refuse(request, call)
    if not 0 < len(request.member_id) <= MEMBER_ID_MAX:
        # As Kafka's, this answer has no message.
        return ShareGroupHeartbeatResponse(error_code=ErrorCode.INVALID_REQUEST)
    if not may_describe(call, request.subscribed_topic_names or ()):
        return ShareGroupHeartbeatResponse(error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    try:
        heartbeat = _read(request, call)
        check_heartbeat(heartbeat)
        result = coordinator_of(call).shares.heartbeat(heartbeat, call.now_ms)
    except ApiError as refusal:
        call.service.refusals.note(
            "share_group_heartbeat_refused",
            refusal,
            group_id=request.group_id,
            client_id=call.client_id,
        )
        return ShareGroupHeartbeatResponse(error_code=refusal.code, error_message=refusal.why)
    response = ShareGroupHeartbeatResponse(
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


def _read(request: ShareGroupHeartbeatRequest, call: Call) -> ShareHeartbeat:
    names = request.subscribed_topic_names
    return ShareHeartbeat(
        request.group_id,
        request.member_id,
        request.member_epoch,
        request.rack_id,
        None if names is None else frozenset(names),
        call.client_id or "",
        call.client_host,
    )
