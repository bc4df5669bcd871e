"""UnregisterBroker: remove the registration of a broker (KIP-500)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    STRING,
    Message,
    field,
)


class UnregisterBrokerRequest(
    Message, api=ApiKey.UNREGISTER_BROKER, kind="request", versions="0", flexible="0+"
):
    broker_id: int = field(INT32)


class UnregisterBrokerResponse(
    Message, api=ApiKey.UNREGISTER_BROKER, kind="response", versions="0", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+")
