"""Answers that wait: a Fetch for records, and what else is answered when something happens.

A parked answer is data: what it watches, how long it waits, and how to try again. It belongs to
one connection, which serves nothing else until it is given (as Kafka mutes a channel).
"""

import asyncio
from collections.abc import Callable, Collection, Hashable
from typing import Final

from mockbroker.broker.outcomes import Unanswered
from mockbroker.events import logging
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.schema import Message

Attempt = Callable[[bool], "Message | Encoded | Parked | Unanswered | None"]
"""Tries to answer; None means not yet. Told True it must: the time is up.

The answer may be another one that waits, which then takes this one's place.
"""
Finish = Callable[["Message | Encoded | Parked | Unanswered"], None]

MILLISECONDS: Final = 1000


class Parked:
    """An answer that is not due yet."""

    __slots__ = ("_timer", "attempt", "finish", "max_wait_ms", "watched")

    def __init__(
        self, watched: Collection[Hashable], max_wait_ms: int | None, attempt: Attempt
    ) -> None:
        """Wait until `attempt` answers, tried again whenever something watched was touched.

        Without `max_wait_ms` it waits for that only, as members of groups do for each other.
        """
        self.watched = watched
        self.max_wait_ms = max_wait_ms
        self.attempt = attempt
        self.finish: Finish | None = None
        self._timer: asyncio.TimerHandle | None = None

    def arm(self, timer: asyncio.TimerHandle) -> None:
        """Remember the timer that ends the wait."""
        self._timer = timer

    def disarm(self) -> None:
        """End the wait early."""
        if self._timer is not None:
            self._timer.cancel()


class ParkingLot:
    """Every parked answer of a cluster, by what it watches.

    The wait is on the wire's clock and not on the state's: a client's long poll passes in real
    time, whatever a test does to the cluster's clock.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wake answers from the given loop."""
        self._loop = loop
        self.waiting: dict[Hashable, dict[Parked, None]] = {}
        """Who waits, by what they watch; empty means that there is nothing to touch."""
        self._touched: dict[Hashable, None] = {}  # in their order, which a set would not keep

    def park(self, parked: Parked, finish: Finish) -> None:
        """Let an answer wait; `finish` is called with it once, unless it is removed."""
        parked.finish = finish
        for key in parked.watched:
            self.waiting.setdefault(key, {})[parked] = None
        if parked.max_wait_ms is not None:
            delay = max(0, parked.max_wait_ms) / MILLISECONDS
            parked.arm(self._loop.call_later(delay, self._try, parked, True))

    def remove(self, parked: Parked) -> None:
        """Forget an answer that nobody waits for any more."""
        parked.disarm()
        for key in parked.watched:
            waiting = self.waiting.get(key)
            if waiting is not None:
                waiting.pop(parked, None)
                if not waiting:
                    del self.waiting[key]

    def touch(self, key: Hashable) -> None:
        """Say that something watched has changed; its watchers are tried when this work is done."""
        if key in self.waiting:
            if not self._touched:
                self._loop.call_soon(self._wake)
            self._touched[key] = None

    def _wake(self) -> None:
        touched, self._touched = self._touched, {}
        due = {parked: None for key in touched for parked in self.waiting.get(key, ())}
        for parked in due:
            try:
                self._try(parked, False)
            except Exception as mistake:  # noqa: BLE001 - the others that woke go on
                logging.error("parked_answer_failed", exc_info=mistake)

    def _try(self, parked: Parked, is_last: bool) -> None:
        response = parked.attempt(is_last)
        if response is None:
            return
        self.remove(parked)
        assert parked.finish is not None
        parked.finish(response)
