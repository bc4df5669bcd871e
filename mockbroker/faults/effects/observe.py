"""Effect that changes nothing, so that the fault only counts calls."""

from typing import ClassVar

from mockbroker.broker.call import Answer
from mockbroker.faults.effect import Effect
from mockbroker.faults.strike import Strike
from mockbroker.faults.trigger import EveryTime, Trigger


class Observe(Effect, frozen=True):
    """Change nothing, at every call: for `hits` and `wait`."""

    usual_trigger: ClassVar[Trigger | None] = EveryTime()

    def strike(self, strike: Strike) -> Answer:
        """Handle the request as it is."""
        return strike.proceed()
