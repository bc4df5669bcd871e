"""DeleteGroups: delete empty groups and their offsets (KIP-229)."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)


def delete_groups(request: DeleteGroupsRequest, call: Call) -> DeleteGroupsResponse:
    """Delete each group, with one result for each group id."""
    return DeleteGroupsResponse(
        results=[
            _deleted(group_id, call) for group_id in call.paced(dict.fromkeys(request.groups_names))
        ]
    )


def _deleted(group_id: str, call: Call) -> DeletableGroupResult:
    result = DeletableGroupResult(group_id=group_id, error_code=ErrorCode.NONE)
    try:
        coordinator_of(call).delete_group(group_id, call.now_ms)
    except ApiError as refusal:
        call.service.refusals.note("delete_groups_refused", refusal, group_id=group_id)
        result.error_code = refusal.code
    return result
