"""Recorder: the one subscriber of a cluster's events that stores them.

It numbers each event once and hands it to its backends: compact rows, which assertions read, and
entries in memory and in files. Without a backend it does not subscribe.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from mockbroker.events.event_bus import EventBus, subscribe
from mockbroker.events.event_types import AnswerGiven, BatchProduced, Event

if TYPE_CHECKING:
    from mockbroker.broker.service import Service

Backend: TypeAlias = Callable[[Event, int], None]
"""Called on the cluster's loop with an event and its number, the `seq` of its first entry."""


class Recorder:
    """Numbers the events of one cluster for all backends."""

    def __init__(self, service: "Callable[[], Service]") -> None:
        """Start without backends; `service` returns the present service, which a reset replaces."""
        self._service = service
        self._backends: list[Backend] = []
        self._unsubscribe: Callable[[], None] | None = None
        self.seq = 0
        """The number of entries of all events so far."""

    @property
    def bus(self) -> "EventBus":
        """The event bus; there is one while a backend is attached."""
        bus = self._service().event_bus
        assert isinstance(bus, EventBus), "a backend is attached"
        return bus

    def attach(self, backend: Backend) -> None:
        """Start to pass events to a backend."""
        if self._unsubscribe is None:
            self._unsubscribe = subscribe(self._service(), self.on_event)
        self._backends.append(backend)

    def detach(self, backend: Backend) -> None:
        """Stop passing events to a backend, if it gets them."""
        if backend in self._backends:
            self._backends.remove(backend)
        if not self._backends and self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    def after_this_event(self, work: Callable[[], None]) -> None:
        """Call a function when all subscribers have the present event."""
        self._service().loop.call_soon(work)

    def on_event(self, event: Event) -> None:
        """Number an event, and pass it to the backends."""
        number = self.seq
        if count := entries_of(event):
            number += 1
            self.seq += count
        for backend in self._backends:
            backend(event, number)


def entries_of(event: object) -> int:
    """Count the entries of an event; the rows of one entry count once."""
    if type(event) is BatchProduced:
        return 3 if event.sender.acks else 2
    return 0 if type(event) is AnswerGiven and event.response is None else 1
