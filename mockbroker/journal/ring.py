"""Journal in memory: the last entries, and the number of dropped ones."""

from collections import deque
from typing import Final

from mockbroker.journal.recorded import Recorded


class Ring:
    """Events of the last entries."""

    def __init__(self, entries_max: int) -> None:
        """Limit the number of entries."""
        self.entries_max: Final = entries_max
        self.entries = 0
        """Present number of entries."""
        self.dropped = 0
        """Number of entries dropped since the last clear."""
        self._stored: Final[deque[tuple[Recorded, int]]] = deque()

    def store(self, recorded: Recorded, entries: int) -> None:
        """Store an event, and drop the oldest ones above the limit."""
        self._stored.append((recorded, entries))
        self.entries += entries
        while self.entries > self.entries_max and len(self._stored) > 1:
            _, gone = self._stored.popleft()
            self.entries -= gone
            self.dropped += gone

    def recorded(self) -> list[Recorded]:
        """Return the stored events, in order."""
        return [recorded for recorded, _ in self._stored]

    def clear(self) -> None:
        """Delete all events, and reset the number of dropped entries."""
        self._stored.clear()
        self.entries = self.dropped = 0
