"""LeaveGroup: remove one member or several from a group (KIP-345, KIP-800)."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.group_requests import classic_requests_of
from mockbroker.protocol.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberResponse,
)
from mockbroker.state.group.classic.group_answers import LeavingMember

FIRST_WITH_MANY: Final = 3


def leave_group(request: LeaveGroupRequest, call: Call) -> LeaveGroupResponse:
    """Remove the members; an error for one does not affect the others."""
    leaving = [
        LeavingMember(each.member_id, each.group_instance_id, each.reason)
        for each in call.paced(request.members)
    ]
    has_many = call.api_version >= FIRST_WITH_MANY
    if not has_many:
        leaving = [LeavingMember(request.member_id)]
    for each in leaving:
        if each.reason:
            call.service.refusals.detail(
                "member_leaves", group_id=request.group_id, reason=each.reason
            )
    codes = classic_requests_of(call).leave(request.group_id, leaving, call.now_ms)
    if not has_many:
        return LeaveGroupResponse(error_code=codes[0])
    return LeaveGroupResponse(
        members=[
            MemberResponse(
                member_id=each.member_id, group_instance_id=each.group_instance_id, error_code=code
            )
            for each, code in zip(leaving, codes, strict=True)
        ]
    )
