"""UnregisterController is refused."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.unregister_controller import (
    UnregisterControllerRequest,
    UnregisterControllerResponse,
)
from tests.support.in_process import Brokers


@pytest.mark.parametrize(
    ("controller_id", "code", "why"),
    [
        (
            9,
            ErrorCode.CONTROLLER_ID_NOT_REGISTERED,
            "Controller ID 9 is not currently registered.",
        ),
        (
            1,
            ErrorCode.INVALID_REQUEST,
            "Controller cannot unregister itself while it is active.",
        ),
    ],
)
def test_no_controller_is_unregistered(controller_id: int, code: ErrorCode, why: str) -> None:
    request = UnregisterControllerRequest(controller_id=controller_id)
    answer = Brokers().ask(request, 0, UnregisterControllerResponse)
    assert (answer.error_code, answer.error_message) == (code, why)
