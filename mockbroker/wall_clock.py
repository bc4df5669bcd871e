"""The state clock of a running cluster: real time."""

import time
from typing import Final

_NANOSECONDS: Final = 1_000_000


class WallClock:
    """Real time in milliseconds since 1970, as the state wants it."""

    __slots__ = ()

    def now_ms(self) -> int:
        """Read the clock."""
        return time.time_ns() // _NANOSECONDS
