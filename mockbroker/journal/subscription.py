"""Live entries for subscribers that follow a journal."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from mockbroker.journal.entry import Entry
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.recorded import Recorded

Subscriber: TypeAlias = Callable[[Sequence[Entry]], None]
"""Called with new entries, in order, on the cluster's loop; it must neither raise nor block."""


class Subscription:
    """Collects the events of one iteration of the loop, and passes them on in the next."""

    def __init__(
        self, subscriber: Subscriber, expansion: Expansion, loop: asyncio.AbstractEventLoop
    ) -> None:
        """Take the subscriber."""
        self._subscriber: Final = subscriber
        self._expansion: Final = expansion
        self._loop: Final = loop
        self._fresh: list[Recorded] = []

    def store(self, recorded: Recorded, entries: int) -> None:
        """Queue an event."""
        if not self._fresh:
            self._loop.call_soon(self._pass_on)
        self._fresh.append(recorded)

    def _pass_on(self) -> None:
        fresh, self._fresh = self._fresh, []
        self._subscriber([entry for each in fresh for entry in self._expansion.entries(each)])
