"""DeleteGroups: delete empty groups (KIP-229)."""

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


class DeleteGroupsRequest(
    Message, api=ApiKey.DELETE_GROUPS, kind="request", versions="0-3", flexible="2+"
):
    groups_names: list[str] = field(array(STRING))


class DeletableGroupResult(Struct):
    group_id: str = field(STRING)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, "3+", nullable="3+", default=None)


class DeleteGroupsResponse(
    Message, api=ApiKey.DELETE_GROUPS, kind="response", versions="0-3", flexible="2+"
):
    throttle_time_ms: int = field(INT32)
    results: list[DeletableGroupResult] = field(array(DeletableGroupResult))
