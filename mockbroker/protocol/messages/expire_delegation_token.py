"""ExpireDelegationToken: set the expiry of a delegation token (KIP-48)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BYTES,
    INT16,
    INT32,
    INT64,
    Message,
    field,
)


class ExpireDelegationTokenRequest(
    Message, api=ApiKey.EXPIRE_DELEGATION_TOKEN, kind="request", versions="0-2", flexible="2+"
):
    hmac: bytes = field(BYTES)
    expiry_time_period_ms: int = field(INT64)


class ExpireDelegationTokenResponse(
    Message, api=ApiKey.EXPIRE_DELEGATION_TOKEN, kind="response", versions="0-2", flexible="2+"
):
    error_code: int = field(INT16)
    expiry_timestamp_ms: int = field(INT64)
    throttle_time_ms: int = field(INT32)
