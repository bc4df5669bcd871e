"""Effect that loses the response to a request that was applied."""

from mockbroker.broker.call import Answer
from mockbroker.broker.outcomes import Unanswered
from mockbroker.faults.effect import Effect
from mockbroker.faults.strike import How, Response, Strike


class LoseResponse(Effect, frozen=True, tag_field="lose_response", tag="after_apply"):
    """Apply the request, and lose the response."""

    how: How = "disconnect"

    def strike(self, strike: Strike) -> Answer:
        """Handle the request, and return no response."""
        return strike.then(strike.proceed(), self._lost)

    def _lost(self, response: Response) -> Unanswered:
        # Without acks there is no response, so that nothing is missing before the next one.
        is_missing = self.how == "silence" and response is not None
        return Unanswered(hang_up=self.how == "disconnect", loses_responses=is_missing)
