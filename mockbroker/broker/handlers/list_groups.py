"""ListGroups: the groups that a broker coordinates (KIP-518, KIP-848)."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.list_groups import (
    ListedGroup,
    ListGroupsRequest,
    ListGroupsResponse,
)
from mockbroker.state.group.group_administration import GroupFilters
from mockbroker.state.security.acl import AclOperation, AclResource


def list_groups(request: ListGroupsRequest, call: Call) -> ListGroupsResponse:
    """List the groups that match all filters of the request."""
    if call.cluster.options.security.cluster_right_lists_groups and not call.allows(
        AclOperation.DESCRIBE, AclResource.CLUSTER
    ):
        raise ApiError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    filters = GroupFilters(request.states_filter, request.types_filter)
    return ListGroupsResponse(
        groups=[
            ListedGroup(
                group_id=group.group_id,
                protocol_type=group.protocol_type,
                group_state=group.state,
                group_type=group.kind.value,
            )
            for group in call.paced(coordinator_of(call).list_groups(filters))
            if call.allows(AclOperation.DESCRIBE, AclResource.CLUSTER)
            or call.allows(AclOperation.DESCRIBE, AclResource.GROUP, group.group_id)
        ]
    )
