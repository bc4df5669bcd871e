"""A loop that does not fall asleep between requests that follow closely.

Waking a processor that sleeps takes longer than most requests (some 45 microseconds on a virtual
machine), and finds its caches full of what others have done. A client that waits for each answer
lets the broker sleep before each request. So after a request that came soon after the one before,
the loop looks for the next one a while longer before it sleeps: for about two wake-ups, and longer
after a transaction where the next one has been seen to begin a little later than that.
"""

import asyncio
import os
import time
from collections.abc import Callable
from typing import Final

CLOSE_S: Final = 0.0005
"""Requests that begin within this time of each other follow closely."""
AWAKE_S: Final = 0.0001
"""How long the loop stays awake for the next one: about two wake-ups."""
LONG_S: Final = 0.002
"""… and how long at most after the end of a transaction: librdkafka waits for a millisecond before
it names the partitions of the next."""
TRUST: Final = 3
"""How many more transactions have to have begun in that time than later, for it to be waited."""
TRUST_MAX: Final = 12
"""What more of them adds nothing to."""
ASK_EVERY_S: Final = 0.1
"""How often it is asked whether there is a processor for that: a process may be moved."""


class BusyPoller:
    """Keeps one loop awake while requests follow closely."""

    __slots__ = (
        "_ask_from_s",
        "_call_soon",
        "_clock",
        "_in_time",
        "_is_after_transaction",
        "_is_awake",
        "_last_s",
        "_may",
        "_may_stay_awake",
        "_until_s",
    )

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        clock: Callable[[], float] = time.perf_counter,
        may_stay_awake: Callable[[], bool] | None = None,
    ) -> None:
        """Keep a loop awake; the clock tells seconds."""
        self._call_soon: Final = loop.call_soon
        self._clock: Final = clock
        self._may_stay_awake: Final = may_stay_awake or has_processor_to_spare
        self._may = False
        self._ask_from_s = float("-inf")
        self._last_s = float("-inf")
        self._until_s = self._last_s
        self._in_time = 0
        self._is_after_transaction = False
        self._is_awake = False

    def request_came(self, *, ends_transaction: bool = False) -> None:
        """Take note of a request, when it has been answered."""
        now_s = self._clock()
        since_s = now_s - self._last_s
        self._last_s = now_s
        if self._is_after_transaction:
            change = -1 if since_s > LONG_S else since_s > AWAKE_S
            self._in_time = min(max(self._in_time + change, 0), TRUST_MAX)
        self._is_after_transaction = ends_transaction
        is_trusted = ends_transaction and self._in_time >= TRUST
        if since_s >= CLOSE_S and not is_trusted:
            return
        self._until_s = now_s + (LONG_S if is_trusted else AWAKE_S)
        if not self._is_awake and self._may_now(now_s):
            self._is_awake = True
            self._call_soon(self._look_again)

    def _may_now(self, now_s: float) -> bool:
        if now_s >= self._ask_from_s:
            self._ask_from_s = now_s + ASK_EVERY_S
            self._may = self._may_stay_awake()
        return self._may

    def _look_again(self) -> None:
        """Have the loop look for requests without waiting, until the time is up."""
        if self._clock() < self._until_s:
            self._call_soon(self._look_again)
        else:
            self._is_awake = False


def has_processor_to_spare() -> bool:
    """Tell whether this process has a processor beside the one it runs on.

    Where clients must wait for the same processor, staying awake only keeps it from them.
    """
    try:
        return len(os.sched_getaffinity(0)) > 1
    except AttributeError:  # only Linux says which processors are ours
        return (os.cpu_count() or 1) > 1
