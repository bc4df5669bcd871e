"""Effects of faults on calls; each defines whether the broker has applied the request.

An effect gets the call in place of its handler. By passing the call to the handler or not, it
decides between "never arrived" and "applied, but the response was lost".
"""

from collections.abc import Iterable
from typing import ClassVar

from mockbroker.broker.call import Answer
from mockbroker.events.event_types import Applied
from mockbroker.faults.strike import Strike
from mockbroker.faults.tagged import Tagged
from mockbroker.faults.trigger import Trigger
from mockbroker.protocol.api_keys import ApiKey


class Effect(Tagged, frozen=True):
    """The effect on a call: exactly one of these, with its own fields."""

    KINDS: ClassVar[dict[str, type[Tagged]]] = {}

    applied: ClassVar[Applied] = "before"
    """Whether the request is applied before the effect, after it, or never."""
    usual_trigger: ClassVar[Trigger | None] = None
    """The effect's own default trigger; None for the usual one, the first call."""

    def strike(self, strike: Strike) -> Answer:
        """Return the call's response."""
        raise NotImplementedError

    def check(self, api: ApiKey, versions: range) -> None:
        """Check that the effect can be used with an API.

        Raises:
            ValueError: the API has no place for it.

        """

    def warning(self, apis: Iterable[ApiKey]) -> str | None:
        """Return a warning about a combination with these APIs that is probably not intended."""
        return None
