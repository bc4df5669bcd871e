"""RenewDelegationToken: extend the lifetime of a token (KIP-48)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BYTES,
    INT16,
    INT32,
    INT64,
    Message,
    field,
)


class RenewDelegationTokenRequest(
    Message, api=ApiKey.RENEW_DELEGATION_TOKEN, kind="request", versions="0-2", flexible="2+"
):
    hmac: bytes = field(BYTES)
    renew_period_ms: int = field(INT64)


class RenewDelegationTokenResponse(
    Message, api=ApiKey.RENEW_DELEGATION_TOKEN, kind="response", versions="0-2", flexible="2+"
):
    error_code: int = field(INT16)
    expiry_timestamp_ms: int = field(INT64)
    throttle_time_ms: int = field(INT32)
