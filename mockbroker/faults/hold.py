"""Calls that are held, before they are handled or before they are answered.

The laws:

1. A held request is handled when it is released, even if its client has gone: the batch was on the
   wire, and it lands.
2. A hold ends with its event, with its time, or when it is released by hand, whatever comes first.
3. A connection serves nothing else while a call of it is held, as in Kafka; a hold that does not
   block lets it go on, and then the held call has no answer.
"""

from collections.abc import Mapping
from typing import Final

from mockbroker.broker.call import Answer, Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.outcomes import Unanswered
from mockbroker.events.event_types import Applied
from mockbroker.faults.conditions import Event
from mockbroker.faults.effects import AnyApi
from mockbroker.faults.errors_in import first_error
from mockbroker.faults.strike import Response, Strike
from mockbroker.faults.verb import Verb
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.message import Message
from mockbroker.settings.duration import duration_text

Until = Event | int | None
"""An event, a number of milliseconds on the wire's clock, or None: until it is released."""


class Held:
    """One call that is held."""

    def __init__(self, strike: Strike) -> None:
        """Hold a call."""
        self.strike: Final = strike
        self.is_released = False
        self.answer: Answer = None
        self.error: ErrorCode | None = None
        """What its answer said, once it has been handled."""

    def note(self, response: Response) -> Response:
        """Take note of what was answered."""
        if isinstance(response, Message):
            self.error = first_error(response)
        return response

    def handle_now(self) -> None:
        """Handle what was held, at the time that it is now."""
        strike = self.strike
        strike.call = _now(strike.call)
        answer = strike.then(strike.proceed(), self.note)
        self.answer = Unanswered(hang_up=False) if answer is None else answer


class Hold(AnyApi):
    """Keeps a request from its handler for a while; it is applied when it is released."""

    applied: Applied = "after"

    def __init__(self, until: Until = None, *, blocks_connection: bool = True) -> None:
        """Hold until something happens."""
        self._until: Final = until
        self._blocks: Final = blocks_connection

    def strike(self, strike: Strike) -> Answer:
        """Hold the request."""
        held = Held(strike)
        strike.rule.plan.hold(held, self._until, released=held.handle_now)
        if not self._blocks:
            return Unanswered(hang_up=False)
        return _waiting(held)

    @property
    def verb(self) -> Verb:
        """The effect as it is called."""
        blocks = {} if self._blocks else {"block_connection": False}
        return Verb("hold", {**_until(self._until), **blocks})

    def __str__(self) -> str:
        """Write the effect as it is called."""
        return f"hold(until={self._until})"


class HoldResponse(AnyApi):
    """Applies a request, and keeps its answer for a while."""

    def __init__(self, until: Until = None, *, name: str = "hold_response") -> None:
        """Hold until something happens; `name` is how users call it."""
        self._until: Final = until
        self._name: Final = name

    def strike(self, strike: Strike) -> Answer:
        """Handle the request, and hold the answer."""

        def held_back(response: Response) -> Answer:
            held = Held(strike)
            held.answer = Unanswered(hang_up=False) if response is None else held.note(response)
            strike.rule.plan.hold(held, self._until)
            return _waiting(held)

        return strike.then(strike.proceed(), held_back)

    @property
    def verb(self) -> Verb:
        """The effect as it is called."""
        if self._name == "delay" and isinstance(self._until, int):
            return Verb("delay", {"by": duration_text(self._until)})
        return Verb("hold_response", _until(self._until))

    def __str__(self) -> str:
        """Write the effect as it is called."""
        return f"{self._name}({self._until})"


def _until(until: Until) -> Mapping[str, object]:
    if until is None:
        return {}
    return {"until": duration_text(until) if isinstance(until, int) else until}


def _waiting(held: Held) -> DelayedResponse:
    return DelayedResponse(
        (held,), None, lambda _is_last: held.answer if held.is_released else None
    )


def _now(call: Call) -> Call:
    """Return a call as if it came now."""
    later = Call(
        call.service,
        broker_id=call.broker_id,
        connection_id=call.connection_id,
        api_key=call.api_key,
        api_version=call.api_version,
        correlation_id=call.correlation_id,
        client_id=call.client_id,
        client_host=call.client_host,
    )
    later.call_id = call.call_id
    return later
