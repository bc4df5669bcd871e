"""Journal in memory: the last so many entries, and a count of those that were dropped."""

from collections import deque
from typing import Final

from mockbroker.journal.recorded import Recorded


class Ring:
    """Memory for the events of the last entries."""

    def __init__(self, entries_max: int) -> None:
        """Make room for so many entries."""
        self.entries_max: Final = entries_max
        self.entries = 0
        """How many there are."""
        self.dropped = 0
        """How many were, and are not any more, since it was cleared."""
        self._stored: Final[deque[tuple[Recorded, int]]] = deque()

    def store(self, recorded: Recorded, entries: int) -> None:
        """Store an event, and drop the oldest ones where that is too much."""
        self._stored.append((recorded, entries))
        self.entries += entries
        while self.entries > self.entries_max and len(self._stored) > 1:
            _, gone = self._stored.popleft()
            self.entries -= gone
            self.dropped += gone

    def recorded(self) -> list[Recorded]:
        """Return what is stored, in order."""
        return [recorded for recorded, _ in self._stored]

    def clear(self) -> None:
        """Forget all, and that anything was dropped."""
        self._stored.clear()
        self.entries = self.dropped = 0
