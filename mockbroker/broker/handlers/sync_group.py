"""SyncGroup: distribute the leader's assignment to the members (KIP-559)."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.handlers.group_requests import (
    classic_requests_of,
    note_refusal,
    when_answered,
)
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from mockbroker.protocol.schema.message import Message
from mockbroker.state.group.classic.group_answers import SyncRequest, SyncResult
from mockbroker.state.security.acl import AclOperation, AclResource

FIRST_THAT_NEEDS_PROTOCOL: Final = 5


def sync_group(request: SyncGroupRequest, call: Call) -> Message | DelayedResponse:
    """Return a member's assignment; the response is delayed until the leader sends it."""
    names = (request.protocol_type, request.protocol_name)
    if call.api_version >= FIRST_THAT_NEEDS_PROTOCOL and None in names:
        raise ApiError(
            ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
            "SyncGroup v5 and later must name the protocol type and the protocol",
        )
    if not call.allows(AclOperation.READ, AclResource.GROUP, request.group_id):
        raise ApiError(ErrorCode.GROUP_AUTHORIZATION_FAILED, request.group_id)
    sync_request = SyncRequest(
        group_id=request.group_id,
        generation_id=request.generation_id,
        member_id=request.member_id,
        group_instance_id=request.group_instance_id,
        protocol_type=request.protocol_type,
        protocol_name=request.protocol_name,
        assignments=tuple((each.member_id, bytes(each.assignment)) for each in request.assignments),
    )
    awaited = classic_requests_of(call).sync(sync_request, call.now_ms)

    def respond(result: SyncResult) -> Message:
        note_refusal(call, "sync_group_refused", result.code, result.why, request.group_id)
        return SyncGroupResponse(
            error_code=result.code,
            protocol_type=result.protocol_type,
            protocol_name=result.protocol_name,
            assignment=result.assignment,
        )

    return when_answered(awaited, respond)
