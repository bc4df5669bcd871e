"""ListGroups: the groups that a broker coordinates."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class ListGroupsRequest(
    Message, api=ApiKey.LIST_GROUPS, kind="request", versions="0-5", flexible="3+"
):
    states_filter: list[str] = field(array(STRING), "4+")
    types_filter: list[str] = field(array(STRING), "5+")


class ListedGroup(Struct):
    group_id: str = field(STRING)
    protocol_type: str = field(STRING)
    group_state: str = field(STRING, "4+")
    group_type: str = field(STRING, "5+")


class ListGroupsResponse(
    Message, api=ApiKey.LIST_GROUPS, kind="response", versions="0-5", flexible="3+"
):
    throttle_time_ms: int = field(INT32, "1+")
    error_code: int = field(INT16)
    groups: list[ListedGroup] = field(array(ListedGroup))
