"""UnregisterController: remove the registration of a controller."""

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.unregister_controller import (
    UnregisterControllerRequest,
    UnregisterControllerResponse,
)


def unregister_controller(
    request: UnregisterControllerRequest, call: Call
) -> UnregisterControllerResponse:
    """Refuse: no controller leaves for good.

    Raises:
        ApiError: CONTROLLER_ID_NOT_REGISTERED, INVALID_REQUEST.

    """
    controller_id = request.controller_id
    if controller_id not in call.cluster.brokers:
        raise ApiError(
            ErrorCode.CONTROLLER_ID_NOT_REGISTERED,
            f"Controller ID {controller_id} is not currently registered.",
        )
    raise ApiError(
        ErrorCode.INVALID_REQUEST, "Controller cannot unregister itself while it is active."
    )
