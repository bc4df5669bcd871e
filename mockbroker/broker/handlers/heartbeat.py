"""Heartbeat: keep a member's session alive, and report rebalances."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.group_requests import classic_requests_of
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse


def heartbeat(request: HeartbeatRequest, call: Call) -> HeartbeatResponse:
    """Extend a member's session."""
    code = classic_requests_of(call).heartbeat(
        request.group_id,
        request.member_id,
        request.group_instance_id,
        request.generation_id,
        call.now_ms,
    )
    return HeartbeatResponse(error_code=code)
