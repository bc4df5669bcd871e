"""The state clock of a running cluster: real time, ahead by what a test has let pass."""

import time
from typing import Final

_NANOSECONDS: Final = 1_000_000


class WallClock:
    """Time in milliseconds since 1970 that passes by itself, and jumps when it is told to."""

    __slots__ = ("_ahead_ms",)

    def __init__(self) -> None:
        """Start at the real time."""
        self._ahead_ms = 0

    def now_ms(self) -> int:
        """Read the clock."""
        return time.time_ns() // _NANOSECONDS + self._ahead_ms

    def advance(self, by_ms: int) -> int:
        """Jump `by_ms` milliseconds ahead, and return the new time."""
        assert by_ms >= 0, by_ms
        self._ahead_ms += by_ms
        return self.now_ms()
