"""Effect that loses a request before the broker processes it."""

from typing import ClassVar

from mockbroker.broker.call import Answer
from mockbroker.broker.outcomes import Unanswered
from mockbroker.events.event_types import Applied
from mockbroker.faults.effect import Effect
from mockbroker.faults.strike import How, Strike


class DropRequest(Effect, frozen=True, tag_field="drop_request", tag="before_apply"):
    """Lose the request: nothing is applied, and there is no response."""

    how: How = "disconnect"
    applied: ClassVar[Applied] = "never"

    def strike(self, strike: Strike) -> Answer:
        """Return no response."""
        return Unanswered(hang_up=self.how == "disconnect", loses_requests=self.how == "silence")
