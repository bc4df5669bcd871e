"""LeaveGroup: leave a classic group (several members from v3, KIP-345)."""

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


class MemberIdentity(Struct):
    member_id: str = field(STRING)
    group_instance_id: str | None = field(STRING, nullable="0+", default=None)
    reason: str | None = field(STRING, "5+", nullable="5+", default=None)


class LeaveGroupRequest(
    Message, api=ApiKey.LEAVE_GROUP, kind="request", versions="0-5", flexible="4+"
):
    group_id: str = field(STRING)
    member_id: str = field(STRING, "0-2")
    members: list[MemberIdentity] = field(array(MemberIdentity), "3+")


class MemberResponse(Struct):
    member_id: str = field(STRING)
    group_instance_id: str | None = field(STRING, nullable="0+")
    error_code: int = field(INT16)


class LeaveGroupResponse(
    Message, api=ApiKey.LEAVE_GROUP, kind="response", versions="0-5", flexible="4+"
):
    throttle_time_ms: int = field(INT32, "1+")
    error_code: int = field(INT16)
    members: list[MemberResponse] = field(array(MemberResponse), "3+")
