"""Heartbeat: stay a member of a classic group."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    STRING,
    Message,
    field,
)


class HeartbeatRequest(
    Message, api=ApiKey.HEARTBEAT, kind="request", versions="0-4", flexible="4+"
):
    group_id: str = field(STRING)
    generation_id: int = field(INT32)
    member_id: str = field(STRING)
    group_instance_id: str | None = field(STRING, "3+", nullable="3+", default=None)


class HeartbeatResponse(
    Message, api=ApiKey.HEARTBEAT, kind="response", versions="0-4", flexible="4+"
):
    throttle_time_ms: int = field(INT32, "1+")
    error_code: int = field(INT16)
