"""SyncGroup: distribute and receive the assignment of a classic group."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BYTES,
    INT16,
    INT32,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class SyncGroupRequestAssignment(Struct):
    member_id: str = field(STRING)
    assignment: bytes = field(BYTES)


class SyncGroupRequest(
    Message, api=ApiKey.SYNC_GROUP, kind="request", versions="0-5", flexible="4+"
):
    group_id: str = field(STRING)
    generation_id: int = field(INT32)
    member_id: str = field(STRING)
    group_instance_id: str | None = field(STRING, "3+", nullable="3+", default=None)
    protocol_type: str | None = field(STRING, "5+", nullable="5+", default=None)
    protocol_name: str | None = field(STRING, "5+", nullable="5+", default=None)
    assignments: list[SyncGroupRequestAssignment] = field(array(SyncGroupRequestAssignment))


class SyncGroupResponse(
    Message, api=ApiKey.SYNC_GROUP, kind="response", versions="0-5", flexible="4+"
):
    throttle_time_ms: int = field(INT32, "1+")
    error_code: int = field(INT16)
    protocol_type: str | None = field(STRING, "5+", nullable="5+", default=None)
    protocol_name: str | None = field(STRING, "5+", nullable="5+", default=None)
    assignment: bytes = field(BYTES)
