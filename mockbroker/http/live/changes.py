"""Names of what changed in a cluster, collected from its events for a page that looks at it.

A page needs to know which of its views are outdated, and not each event: a thousand appends to a
topic are one name. So the memory of a collection is bounded, whatever happens between two reports.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from mockbroker.events.event_types import (
    AnswerGiven,
    BatchProduced,
    CallHeld,
    CallReleased,
    ClockMoved,
    ClusterEvent,
    ConnectionClosed,
    ConnectionOpened,
    Event,
    FaultMade,
    FaultRemoved,
    FaultStruck,
    HungUp,
)
from mockbroker.faults.documents.strict import View
from mockbroker.state.events import (
    BatchAppended,
    GroupChanged,
    HighWatermarkMoved,
    LeaderElected,
    LogStartMoved,
    LogTruncated,
    MarkerAppended,
    OffsetsCommitted,
    PartitionsAssigned,
    ProducersExpired,
    TopicCreated,
    TopicDeleted,
    TransactionChanged,
)

NAMES_MAX: Final = 50
"""Names of one kind in a report; if more changed, `is_all` stands for them."""


class ChangesView(View):
    """What changed since the last report."""

    topics: list[str]
    transactions: list[str]
    """Transactional ids."""
    groups: list[str]
    faults: bool
    connections: bool
    clock: bool
    cluster: bool
    """Brokers, or any other effect of a control method."""
    is_all: bool
    """True if more names changed than a report has room for."""


class Changes:
    """Collection of changes between two reports; it calls `wake` at the first change."""

    def __init__(self, wake: Callable[[], None]) -> None:
        """Start without changes."""
        self._wake: Final = wake
        self._is_empty = True
        self._names: dict[str, set[str]] = {"topics": set(), "transactions": set(), "groups": set()}
        self._flags: set[str] = set()

    def on_event(self, event: Event) -> None:
        """Collect what an event changes."""
        kind = type(event)
        if kind in _NAMES:
            what, name_of = _NAMES[kind]
            name = name_of(event)
            if name is None:
                return
            names = self._names[what]
            if len(names) < NAMES_MAX or name in names:
                names.add(name)
            else:
                self._flags.add("is_all")
        elif kind in _FLAGS:
            self._flags.add(_FLAGS[kind])
        else:
            return
        if self._is_empty:
            self._is_empty = False
            self._wake()

    def take(self) -> ChangesView | None:
        """Return the changes, and start again without any; None if there are none."""
        if self._is_empty:
            return None
        names, flags = self._names, self._flags
        self._names, self._flags, self._is_empty = {each: set() for each in names}, set(), True
        return ChangesView(
            topics=sorted(names["topics"]),
            transactions=sorted(names["transactions"]),
            groups=sorted(names["groups"]),
            faults="faults" in flags,
            connections="connections" in flags,
            clock="clock" in flags,
            cluster="cluster" in flags,
            is_all="is_all" in flags,
        )


def _group_of(event: AnswerGiven) -> str | None:
    """Return the group that a request names: commits and heartbeats report no other event."""
    group_id = getattr(event.request, "group_id", None)
    return group_id if isinstance(group_id, str) and group_id else None


def _topic(event: Any) -> str:
    name: str = event.topic
    return name


def _topic_of_log(event: Any) -> str:
    name: str = event.log.topic
    return name


_NAMES: Final[Mapping[type[Any], tuple[str, Callable[[Any], str | None]]]] = {
    AnswerGiven: ("groups", _group_of),
    BatchAppended: ("topics", _topic_of_log),
    BatchProduced: ("topics", _topic_of_log),
    GroupChanged: ("groups", lambda event: event.group),
    HighWatermarkMoved: ("topics", _topic),
    LeaderElected: ("topics", _topic),
    LogStartMoved: ("topics", _topic),
    LogTruncated: ("topics", _topic),
    MarkerAppended: ("topics", _topic_of_log),
    OffsetsCommitted: ("groups", lambda event: event.group),
    PartitionsAssigned: ("groups", lambda event: event.group),
    ProducersExpired: ("topics", _topic),
    TopicCreated: ("topics", _topic),
    TopicDeleted: ("topics", _topic),
    TransactionChanged: ("transactions", lambda event: event.before.transactional_id),
}
_FLAGS: Final[Mapping[type[Any], str]] = {
    CallHeld: "faults",
    CallReleased: "faults",
    ClockMoved: "clock",
    ClusterEvent: "cluster",
    ConnectionClosed: "connections",
    ConnectionOpened: "connections",
    FaultMade: "faults",
    FaultRemoved: "faults",
    FaultStruck: "faults",
    HungUp: "connections",
}
