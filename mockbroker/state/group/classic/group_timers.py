"""The deadlines of all groups of a broker: one timer, however many members there are.

The laws:

1. A deadline is what the group or the member says it is. The heap here only says when to look: who
   is heard of again just says a later time, and is found not to be due.
2. What is due runs in the order of its deadlines, each at its own time, also after a long jump.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from mockbroker.state.deadlines import Deadlines
from mockbroker.state.timers import Timers

JOIN: Final = "join"
SYNC: Final = "sync"
MEMBER: Final = "member"


class GroupTimer(NamedTuple):
    """What a deadline is about."""

    group_id: str
    kind: str
    member_id: str = ""


class GroupTimers:
    """The timer of one broker's groups."""

    __slots__ = ("_armed_for_ms", "_deadlines", "_name", "_on_due", "_timers")

    def __init__(
        self, timers: Timers, name: str, on_due: Callable[[GroupTimer, int], None]
    ) -> None:
        """Call `on_due` with what may be due; it watches again what is not."""
        self._timers: Final = timers
        self._name: Final = name
        self._on_due: Final = on_due
        self._deadlines: Deadlines[GroupTimer] = Deadlines()
        self._armed_for_ms: int | None = None

    def watch(self, timer: GroupTimer, deadline_ms: int) -> None:
        """Look at something at `deadline_ms` at the latest."""
        self._deadlines.watch(timer, deadline_ms)
        if self._armed_for_ms is None or deadline_ms < self._armed_for_ms:
            self._arm(deadline_ms)

    def _arm(self, deadline_ms: int) -> None:
        self._armed_for_ms = deadline_ms
        self._timers.schedule(self._name, deadline_ms, self._run)

    def _run(self, now_ms: int) -> None:
        self._armed_for_ms = None
        try:
            while (timer := self._deadlines.pop_due(now_ms)) is not None:
                self._on_due(timer, now_ms)
        finally:
            deadline_ms = self._deadlines.next_deadline_ms()
            if deadline_ms is not None:
                self._arm(deadline_ms)
