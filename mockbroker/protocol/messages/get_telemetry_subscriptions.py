"""GetTelemetrySubscriptions: the metrics that the broker requests from a client (KIP-714)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    INT8,
    INT16,
    INT32,
    STRING,
    UUID,
    Message,
    array,
    field,
)
from mockbroker.protocol.types import Uuid


class GetTelemetrySubscriptionsRequest(
    Message, api=ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, kind="request", versions="0", flexible="0+"
):
    client_instance_id: Uuid = field(UUID)


class GetTelemetrySubscriptionsResponse(
    Message, api=ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, kind="response", versions="0", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    client_instance_id: Uuid = field(UUID)
    subscription_id: int = field(INT32)
    accepted_compression_types: list[int] = field(array(INT8))
    push_interval_ms: int = field(INT32)
    telemetry_max_bytes: int = field(INT32)
    delta_temporality: bool = field(BOOL)
    requested_metrics: list[str] = field(array(STRING))
