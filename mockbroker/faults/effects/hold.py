"""Effect that holds a request before it is handled.

1. A held request is handled when it is released, even if its client has gone: the batch was on the
   wire, and it is appended.
2. A hold ends with its event, with its time, or when a test releases it, whatever comes first.
3. A connection serves nothing else while a call of it is held, as in Kafka; with
   `block_connection=False` it goes on, and then the held call has no answer.
"""

from typing import ClassVar

from mockbroker.broker.call import Answer
from mockbroker.broker.outcomes import Unanswered
from mockbroker.events.event_types import Applied
from mockbroker.faults.conditions import Until
from mockbroker.faults.effect import Effect
from mockbroker.faults.held import Held
from mockbroker.faults.strike import Strike


class Hold(Effect, frozen=True, tag_field="hold", tag="request"):
    """Hold the request until an event (`mockbroker.at`), for a time, or until it is released.

    It is applied when it is released, even if its connection is gone by then. The connection
    serves nothing else meanwhile, unless `block_connection` is False: then the held request is
    never answered.
    """

    until: Until = None
    block_connection: bool = True
    applied: ClassVar[Applied] = "after"

    def strike(self, strike: Strike) -> Answer:
        """Hold the request."""
        held = Held(strike)
        strike.fault.plan.hold(held, self.until, released=held.handle_now)
        return held.later() if self.block_connection else Unanswered(hang_up=False)
