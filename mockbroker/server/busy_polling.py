"""Busy polling: the event loop polls for a while after a request, instead of sleeping.

To wake a sleeping processor takes longer than most requests (about 45 microseconds on a virtual
machine), and leaves its caches cold. The broker would sleep before each request of a client that
waits for each response. So when two requests follow closely, the loop polls for the next one for
about two wake-up times before it sleeps. It polls longer after a transaction if earlier
transactions showed that the next one usually starts a little later.
"""

import asyncio
import os
import time
from collections.abc import Callable
from typing import Final

CLOSE_S: Final = 0.0005
"""Longest time between the starts of two requests that follow closely."""
AWAKE_S: Final = 0.0001
"""Polling time after a request: about two wake-ups."""
LONG_S: Final = 0.002
"""Longest polling time after the end of a transaction: librdkafka waits for a millisecond before
it adds the partitions of the next one."""
TRUST: Final = 3
"""Lead of transactions that started within this time over later ones, to poll that long."""
TRUST_MAX: Final = 12
"""Upper limit of that count."""
ASK_EVERY_S: Final = 0.1
"""Interval of checks for a spare processor: a process may be moved to other ones."""


class BusyPoller:
    """Busy polling of one event loop while requests follow closely."""

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
        """Poll on a loop; the clock returns seconds."""
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
        """Note a request that was just answered."""
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
        """Let the loop poll for requests without sleeping until the polling time ends."""
        if self._clock() < self._until_s:
            self._call_soon(self._look_again)
        else:
            self._is_awake = False


def has_processor_to_spare() -> bool:
    """Return True if this process may use more than one processor.

    On a single processor, busy polling would only take time from the clients.
    """
    try:
        return len(os.sched_getaffinity(0)) > 1
    except AttributeError:  # only Linux has it
        return (os.cpu_count() or 1) > 1
