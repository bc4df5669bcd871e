"""The state clock of a running cluster: real time, shifted by the jumps a test asked for."""

import time
from typing import Final

_NANOSECONDS: Final = 1_000_000


class WallClock:
    """Real time in milliseconds since 1970, plus an offset that only grows (mode `offset`)."""

    __slots__ = ("offset_ms",)

    def __init__(self) -> None:
        """Begin without an offset."""
        self.offset_ms = 0

    def now_ms(self) -> int:
        """Read the clock."""
        return time.time_ns() // _NANOSECONDS + self.offset_ms
