"""The journal in memory: the last so many entries, and a count of those that went."""

from collections import deque
from typing import Final

from mockbroker.journal.heard import Heard


class Ring:
    """Keeps what was heard last."""

    def __init__(self, entries_max: int) -> None:
        """Keep so many entries."""
        self.entries_max: Final = entries_max
        self.entries = 0
        """How many are kept."""
        self.dropped = 0
        """How many were, and are not any more, since it was cleared."""
        self._kept: Final[deque[tuple[Heard, int]]] = deque()

    def keep(self, heard: Heard, entries: int) -> None:
        """Keep something, and let go of the oldest where that is too much."""
        self._kept.append((heard, entries))
        self.entries += entries
        while self.entries > self.entries_max and len(self._kept) > 1:
            _, gone = self._kept.popleft()
            self.entries -= gone
            self.dropped += gone

    def heard(self) -> list[Heard]:
        """Return what is kept, in order."""
        return [heard for heard, _ in self._kept]

    def clear(self) -> None:
        """Forget all, and that anything was dropped."""
        self._kept.clear()
        self.entries = self.dropped = 0
