"""DescribeGroups: the state and the members of classic groups (KIP-430, KIP-345, KIP-1043)."""

from functools import partial
from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.authorized_operations import operations_on_group
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group_administration import DescribedMember, not_found

FIRST_WITH_NOT_FOUND: Final = 6


def describe_groups(request: DescribeGroupsRequest, call: Call) -> DescribeGroupsResponse:
    """Describe each group, or return its error."""
    requested = request.include_authorized_operations
    describe = partial(_described, call=call, requested=requested)
    return DescribeGroupsResponse(groups=call.each(describe, request.groups))


def _described(group_id: str, call: Call, *, requested: bool) -> DescribedGroup:
    try:
        coordinator = coordinator_of(call)
        found = coordinator.describe_group(group_id)
        if found is None and call.api_version >= FIRST_WITH_NOT_FOUND:
            groups = coordinator.groups
            raise not_found(group_id, groups.find(group_id) or groups.dropped(group_id))
    except ApiError as refusal:
        call.service.refusals.note("describe_groups_refused", refusal, group_id=group_id)
        is_dead = refusal.code is ErrorCode.GROUP_ID_NOT_FOUND
        return DescribedGroup(
            error_code=refusal.code,
            error_message=refusal.why if is_dead else None,
            group_id=group_id,
            group_state=GroupState.DEAD.title if is_dead else "",
            authorized_operations=call.cluster.options.authorized_operations_not_asked,
        )
    answer = DescribedGroup(
        group_id=group_id,
        group_state=GroupState.DEAD.title,
        authorized_operations=operations_on_group(call, group_id, requested=requested),
    )
    if found is not None:
        answer.group_state = found.state
        answer.protocol_type = found.protocol_type
        answer.protocol_data = found.protocol_name
        answer.members = [_member(member) for member in found.members]
    return answer


def _member(member: DescribedMember) -> DescribedGroupMember:
    return DescribedGroupMember(
        member_id=member.member_id,
        group_instance_id=member.group_instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        member_metadata=member.metadata,
        member_assignment=member.assignment,
    )
