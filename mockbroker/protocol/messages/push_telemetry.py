"""PushTelemetry: send a client's metrics to the broker (KIP-714)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    BYTES,
    INT8,
    INT16,
    INT32,
    UUID,
    Message,
    field,
)
from mockbroker.protocol.types import Uuid


class PushTelemetryRequest(
    Message, api=ApiKey.PUSH_TELEMETRY, kind="request", versions="0", flexible="0+"
):
    client_instance_id: Uuid = field(UUID)
    subscription_id: int = field(INT32)
    terminating: bool = field(BOOL)
    compression_type: int = field(INT8)
    metrics: bytes = field(BYTES)


class PushTelemetryResponse(
    Message, api=ApiKey.PUSH_TELEMETRY, kind="response", versions="0", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
