"""Delayed responses, which wait for records or another event (Kafka's purgatory).

A delayed response has the keys that it watches, a timeout and a function that retries. It belongs
to one connection, which serves no other request until then (as Kafka mutes a channel).
"""

import asyncio
from collections.abc import Callable, Collection, Hashable
from typing import Final

from mockbroker.broker.outcomes import Unanswered
from mockbroker.events import logging
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.schema.message import Message

Attempt = Callable[[bool], "Message | Encoded | DelayedResponse | Unanswered | None"]
"""Function that tries to respond, and returns None if it is too early.

Its argument is True at the timeout, when it must respond. The result may be another delayed
response, which then replaces this one.
"""
Finish = Callable[["Message | Encoded | DelayedResponse | Unanswered"], None]

MILLISECONDS: Final = 1000


class DelayedResponse:
    """Delayed response."""

    __slots__ = ("_timer", "attempt", "finish", "is_last", "max_wait_ms", "watched")

    def __init__(
        self,
        watched: Collection[Hashable],
        max_wait_ms: int | None,
        attempt: Attempt,
        *,
        is_last: bool = False,
    ) -> None:
        """Create a response that is retried whenever a watched key is touched.

        Without `max_wait_ms` there is no timeout: members of a group wait for each other. After the
        last response of a connection, the connection is closed.
        """
        self.watched = watched
        self.max_wait_ms = max_wait_ms
        self.attempt = attempt
        self.is_last: Final = is_last
        self.finish: Finish | None = None
        self._timer: asyncio.TimerHandle | None = None

    def arm(self, timer: asyncio.TimerHandle) -> None:
        """Store the timer that ends the delay."""
        self._timer = timer

    def disarm(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()


class Purgatory:
    """Delayed responses of a cluster, by the keys that they watch (Kafka's purgatory).

    Timeouts use the event loop's clock, not the state's: a client's long poll takes real time,
    whatever a test does with the cluster's clock.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Run retries and timeouts on the given loop."""
        self._loop = loop
        self.waiting: dict[Hashable, dict[DelayedResponse, None]] = {}
        """Delayed responses by watched key; if it is empty, there is nothing to touch."""
        self._touched: dict[Hashable, None] = {}  # a dict, to keep the order

    def delay(self, delayed: DelayedResponse, finish: Finish) -> None:
        """Delay a response; `finish` is called with it once, unless it is removed first."""
        delayed.finish = finish
        for key in delayed.watched:
            self.waiting.setdefault(key, {})[delayed] = None
        if delayed.max_wait_ms is not None:
            delay = max(0, delayed.max_wait_ms) / MILLISECONDS
            delayed.arm(self._loop.call_later(delay, self._try, delayed, True))

    def remove(self, delayed: DelayedResponse) -> None:
        """Remove a response whose client is gone, or that was sent."""
        delayed.disarm()
        for key in delayed.watched:
            waiting = self.waiting.get(key)
            if waiting is not None:
                waiting.pop(delayed, None)
                if not waiting:
                    del self.waiting[key]

    def touch(self, key: Hashable) -> None:
        """Report a change of a watched key; its watchers are retried after the current callback."""
        if key in self.waiting:
            if not self._touched:
                self._loop.call_soon(self._wake)
            self._touched[key] = None

    def _wake(self) -> None:
        touched, self._touched = self._touched, {}
        due = {delayed: None for key in touched for delayed in self.waiting.get(key, ())}
        for delayed in due:
            try:
                self._try(delayed, False)
            except Exception as mistake:  # noqa: BLE001 - the others are still retried
                logging.error("delayed_response_failed", exc_info=mistake)

    def _try(self, delayed: DelayedResponse, is_last: bool) -> None:
        response = delayed.attempt(is_last)
        if response is None:
            return
        self.remove(delayed)
        assert delayed.finish is not None
        delayed.finish(response)
