"""Reporter of state changes to an observer, while there is one.

All parts of a cluster's state share one `Observation`. Observing has no effect on the state: an
observed cluster goes through the same states as others. Each part checks for a reporter before it
reports, so a cluster without an observer imports no event types.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockbroker.state.event_reporter import EventReporter


class Observation:
    """Holder of the reporter of events, if there is an observer."""

    __slots__ = ("reporter",)

    def __init__(self) -> None:
        """Start without an observer."""
        self.reporter: EventReporter | None = None
