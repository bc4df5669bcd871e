"""Effect that delays the response to a request."""

import msgspec

from mockbroker.broker.call import Answer
from mockbroker.faults.effect import Effect
from mockbroker.faults.held import hold_response
from mockbroker.faults.strike import Strike
from mockbroker.faults.tagged import DurationField


class Delay(Effect, frozen=True):
    """Apply the request, and delay the response, by `250ms` for example."""

    by: DurationField = msgspec.field(name="delay")

    def strike(self, strike: Strike) -> Answer:
        """Handle the request, and hold the answer for the time."""
        return hold_response(strike, self.by)
