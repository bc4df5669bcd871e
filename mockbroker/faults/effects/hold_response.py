"""Effect that holds the response to a request that was applied."""

from mockbroker.broker.call import Answer
from mockbroker.faults.conditions import Until
from mockbroker.faults.effect import Effect
from mockbroker.faults.held import hold_response
from mockbroker.faults.strike import Strike


class HoldResponse(Effect, frozen=True, tag_field="hold_response", tag="after_apply"):
    """Apply the request, and hold the response until an event, or for a time."""

    until: Until = None

    def strike(self, strike: Strike) -> Answer:
        """Handle the request, and hold the response."""
        return hold_response(strike, self.until)
