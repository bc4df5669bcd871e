"""UnregisterController: remove the registration of a controller."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    STRING,
    Message,
    field,
)


class UnregisterControllerRequest(
    Message, api=ApiKey.UNREGISTER_CONTROLLER, kind="request", versions="0", flexible="0+"
):
    controller_id: int = field(INT32)


class UnregisterControllerResponse(
    Message, api=ApiKey.UNREGISTER_CONTROLLER, kind="response", versions="0", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+")
