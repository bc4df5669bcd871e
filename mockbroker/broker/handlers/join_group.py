"""JoinGroup: join a group and its next generation (KIP-345, KIP-394, KIP-800, KIP-814)."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.handlers.group_requests import (
    classic_requests_of,
    note_refusal,
    when_answered,
)
from mockbroker.broker.handlers.newer_groups import topic_filter
from mockbroker.protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupResponse,
    JoinGroupResponseMember,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.state.group.classic.group_answers import JoinRequest, JoinResult

FIRST_WITH_REBALANCE_TIMEOUT: Final = 1
FIRST_THAT_NEEDS_MEMBER_ID: Final = 4
FIRST_WITH_NULL_PROTOCOL: Final = 7
FIRST_THAT_SKIPS_ASSIGNMENT: Final = 9


def join_group(request: JoinGroupRequest, call: Call) -> Message | DelayedResponse:
    """Add a member; the response is delayed until the generation begins."""
    if request.reason:
        call.service.refusals.detail(
            "member_joins", group_id=request.group_id, reason=request.reason
        )
    awaited = classic_requests_of(call).join(_asked(request, call), call.now_ms)

    def respond(result: JoinResult) -> Message:
        note_refusal(call, "join_group_refused", result.code, result.why, request.group_id)
        return _response(result, call.api_version)

    return when_answered(awaited, respond)


def _asked(request: JoinGroupRequest, call: Call) -> JoinRequest:
    has_both_timeouts = call.api_version >= FIRST_WITH_REBALANCE_TIMEOUT
    return JoinRequest(
        group_id=request.group_id,
        member_id=request.member_id,
        group_instance_id=request.group_instance_id,
        client_id=call.client_id or "",
        client_host=call.client_host,
        session_timeout_ms=request.session_timeout_ms,
        rebalance_timeout_ms=request.rebalance_timeout_ms
        if has_both_timeouts
        else request.session_timeout_ms,
        protocol_type=request.protocol_type,
        protocols=tuple((each.name, bytes(each.metadata)) for each in request.protocols),
        must_have_member_id=call.api_version >= FIRST_THAT_NEEDS_MEMBER_ID,
        may_skip_assignment=call.api_version >= FIRST_THAT_SKIPS_ASSIGNMENT,
        reason=request.reason,
        may_describe=topic_filter(call),
    )


def _response(result: JoinResult, version: int) -> JoinGroupResponse:
    protocol_name = result.protocol_name
    if protocol_name is None and version < FIRST_WITH_NULL_PROTOCOL:
        protocol_name = ""
    return JoinGroupResponse(
        error_code=result.code,
        generation_id=result.generation_id,
        protocol_type=result.protocol_type,
        protocol_name=protocol_name,
        leader=result.leader_id,
        skip_assignment=result.skip_assignment,
        member_id=result.member_id,
        members=[
            JoinGroupResponseMember(
                member_id=member.member_id,
                group_instance_id=member.group_instance_id,
                metadata=member.metadata,
            )
            for member in result.members
        ],
    )
