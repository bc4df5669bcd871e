"""Deadlines of all groups of a broker, on one timer.

Rules:

1. The group or the member holds its deadline. The heap here only schedules checks: a renewed
   session has a later deadline, and its check finds that it has not expired.
2. Expired deadlines run in order, each at its own time, also when the clock jumps far ahead.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from mockbroker.state.deadlines import Deadlines
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.group import Group
from mockbroker.state.group.group_kinds import is_modern
from mockbroker.state.timers import Timers

JOIN: Final = "join"
SYNC: Final = "sync"
MEMBER: Final = "member"


class GroupTimer(NamedTuple):
    """The subject of a deadline."""

    group_id: str
    kind: str
    member_id: str = ""


class GroupTimers:
    """The timer of one broker's groups."""

    __slots__ = ("_armed_for_ms", "_deadlines", "_name", "_on_due", "_timers")

    def __init__(
        self, timers: Timers, name: str, on_due: Callable[[GroupTimer, int], None]
    ) -> None:
        """Call `on_due` when a deadline may have expired; it watches again if it has not."""
        self._timers: Final = timers
        self._name: Final = name
        self._on_due: Final = on_due
        self._deadlines: Deadlines[GroupTimer] = Deadlines()
        self._armed_for_ms: int | None = None

    def watch(self, timer: GroupTimer, deadline_ms: int) -> None:
        """Check a subject at `deadline_ms` at the latest."""
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


def carry_deadlines(groups: Iterable[Group], by_ms: int) -> None:
    """Move every deadline of these groups and their members into the future.

    A timer that fires at an old deadline finds that it has moved, and waits for the new one.
    """
    for group in groups:
        if isinstance(group, ClassicGroup):
            _carry_classic(group, by_ms)
        elif is_modern(group):
            group.carry_deadlines(by_ms)


def _carry_classic(group: ClassicGroup, by_ms: int) -> None:
    if group.join_deadline_ms is not None:
        group.join_deadline_ms += by_ms
    if group.sync_deadline_ms is not None:
        group.sync_deadline_ms += by_ms
    for member in group.members.values():
        if member.session_deadline_ms is not None:
            member.session_deadline_ms += by_ms
    for member_id in group.pending_members:
        group.pending_members[member_id] += by_ms
