"""Log of the actions on a cluster: control calls and changes of faults, in order.

Each entry has the position of the clients before and after it, so that a recording can say for what
a step waits: `mockbroker.scenario.recording` turns the log into a scenario.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import local
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from mockbroker.state.clock import ClockMode
from mockbroker.state.cluster_state import ClusterState

if TYPE_CHECKING:
    from mockbroker.control.cluster_control import ClusterControl
    from mockbroker.faults.fault_plan import FaultChange
    from mockbroker.faults.fault_state import FaultState
    from mockbroker.faults.selectors import Selectors
    from mockbroker.settings.settings import Settings

T = TypeVar("T")

ENTRIES_MAX: Final = 10_000
"""Entries of a log; later actions are not logged."""


class FaultCounts(NamedTuple):
    """The counts of a fault."""

    hits: int
    held: int
    released: int


class Position(NamedTuple):
    """How far the clients have come: the counts of faults, and the ends of the logs."""

    faults: Mapping[str, FaultCounts]
    log_end_offsets: Mapping[tuple[str, int], int]
    """By topic and partition, without internal topics and empty logs."""


_NOWHERE: Final = Position({}, {})
"""Before the position is known."""


@dataclass(slots=True, kw_only=True)
class LoggedCall:
    """A call of a method that is an action."""

    holder: object
    """The object whose method it is, such as a `PartitionHandle`."""
    method: str
    """Qualified name of the method: `PartitionHandle.elect`."""
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    before: Position = _NOWHERE
    after: Position = _NOWHERE


@dataclass(slots=True, kw_only=True)
class LoggedFault:
    """A change of a fault, with the parts that it had then."""

    name: str
    change: "FaultChange"
    selectors: "Selectors"
    does: Any
    trigger: Any
    before: Position
    after: Position


class ActionLog:
    """The actions on one cluster, since its start or its last reset."""

    def __init__(self, control: "ClusterControl", state: Callable[[], ClusterState]) -> None:
        """Start empty; `state` returns the present state, on the loop."""
        self._control = control
        self._state = state
        self._thread = local()
        self.entries: list[LoggedCall | LoggedFault] = []
        self.is_complete = True
        """False if there were more than `ENTRIES_MAX` actions."""

    @property
    def settings(self) -> "Settings | None":
        """The settings of the cluster; None if it was made without."""
        return self._control.settings

    @property
    def first_clock_mode(self) -> ClockMode:
        """The mode of the clock at the start."""
        return self._control.time(lambda _service, clock: clock.first_mode)

    def clear(self) -> None:
        """Forget all entries."""
        self.entries.clear()
        self.is_complete = True

    def begin(
        self, holder: object, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> LoggedCall | None:
        """Log a call; return None for a call that another action makes on the same thread."""
        if getattr(self._thread, "call", None) is not None:
            return None
        call = LoggedCall(holder=holder, method=method, args=args, kwargs=kwargs)
        self._thread.call = call
        self._add(call)
        return call

    def end(self, call: LoggedCall | None) -> None:
        """End a call on this thread."""
        if call is not None:
            self._thread.call = None

    def cancel(self, call: LoggedCall | None) -> None:
        """End a call that has failed, and remove it."""
        if call is not None:
            self._thread.call = None
            places = range(len(self.entries) - 1, -1, -1)
            at = next((i for i in places if self.entries[i] is call), None)
            if at is not None:
                del self.entries[at]

    def with_positions(self, work: Callable[[], T]) -> Callable[[], T]:
        """Let work of this thread's call note the positions before and after it, on the loop."""
        call: LoggedCall | None = getattr(self._thread, "call", None)
        if call is None:
            return work

        def placed() -> T:
            if call.before is _NOWHERE:
                call.before = self._position()
            try:
                return work()
            finally:
                call.after = self._position()

        return placed

    def fault_changed(self, fault: "FaultState", change: "FaultChange") -> None:
        """Log a change of a fault; several in a row that make it are one entry."""
        last = self.entries[-1] if self.entries else None
        is_same = isinstance(last, LoggedFault) and (last.name, last.change) == (fault.name, "made")
        is_unseen = is_same and not fault.hits and not self._has_fault_before_last(fault.name)
        if is_unseen and change == "removed":
            self.entries.pop()
            return
        position = self._position()
        entry = LoggedFault(
            name=fault.name,
            change=change,
            selectors=fault.selectors,
            does=fault.does,
            trigger=fault.trigger,
            before=position,
            after=position,
        )
        if is_same and change == "made":
            self.entries.pop()
        self._add(entry)

    def _has_fault_before_last(self, name: str) -> bool:
        earlier = self.entries[:-1]
        return any(isinstance(each, LoggedFault) and each.name == name for each in earlier)

    def _add(self, entry: LoggedCall | LoggedFault) -> None:
        if len(self.entries) < ENTRIES_MAX:
            self.entries.append(entry)
        else:
            self.is_complete = False

    def _position(self) -> Position:
        plan = self._control.fault_plan if self._control.has_fault_plan else None
        return Position(
            {
                each.name: FaultCounts(each.hits, each.held_ever, each.released)
                for each in (plan.faults if plan else ())
            },
            {
                (topic.name, index): partition.log.log_end_offset
                for topic in self._state().topics
                if not topic.is_internal
                for index, partition in enumerate(topic.partitions)
                if partition.log is not None and partition.log.log_end_offset
            },
        )
