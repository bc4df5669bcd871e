"""Held calls, and their continuation when they are released."""

from typing import Final

from mockbroker.broker.call import Answer, Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.outcomes import Unanswered
from mockbroker.faults.conditions import Until
from mockbroker.faults.strike import Response, Strike
from mockbroker.protocol.error_response import first_error
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.message import Message


class Held:
    """A held call, with its response as soon as there is one."""

    def __init__(self, strike: Strike) -> None:
        """Create a held call."""
        self.strike: Final = strike
        self.is_released = False
        self.answer: Answer = None
        self.error: ErrorCode | None = None
        """The error of its answer, once it has been handled."""

    def note(self, response: Response) -> Response:
        """Store the error of a response."""
        if isinstance(response, Message):
            self.error = first_error(response)
        return response

    def handle_now(self) -> None:
        """Handle the request at the present time."""
        strike = self.strike
        strike.call = _now(strike.call)
        answer = strike.then(strike.proceed(), self.note)
        self.answer = Unanswered(hang_up=False) if answer is None else answer

    def later(self) -> DelayedResponse:
        """Return the delayed response, which is sent when the call is released."""
        return DelayedResponse(
            (self,), None, lambda _is_last: self.answer if self.is_released else None
        )


def hold_response(strike: Strike, until: Until) -> Answer:
    """Handle the request of a call, and hold the response."""

    def held_back(response: Response) -> Answer:
        held = Held(strike)
        held.answer = Unanswered(hang_up=False) if response is None else held.note(response)
        strike.fault.plan.hold(held, until)
        return held.later()

    return strike.then(strike.proceed(), held_back)


def _now(call: Call) -> Call:
    """Return a copy of a call that arrives now."""
    later = Call(
        call.service,
        broker_id=call.broker_id,
        connection_id=call.connection_id,
        api_key=call.api_key,
        api_version=call.api_version,
        correlation_id=call.correlation_id,
        client_id=call.client_id,
        client_host=call.client_host,
        listener=call.listener,
        principal=call.principal,
        from_broker=call.from_broker,
    )
    later.call_id = call.call_id
    return later
