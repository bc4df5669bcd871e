"""The state clock of a running cluster: real time, and what a test makes of it."""

import time
from typing import Final, Literal, TypeAlias, get_args

from mockbroker.state.clock import ClientClock

ClockMode: TypeAlias = Literal["offset", "manual", "real"]
"""Real time and jumps; only jumps; only real time."""

CLOCK_MODES: Final[tuple[ClockMode, ...]] = get_args(ClockMode)

_NANOSECONDS: Final = 1_000_000
_NO_JUMPS: Final = (
    "this cluster's clock is real time and nothing else: make the cluster with clock='offset' or"
    " clock='manual' to have it jump or stand still"
)


class WallClock:
    """Time in milliseconds since 1970, by mode.

    `offset`: it passes by itself, and jumps when it is told to. `manual`: it stands still between
    jumps. `real`: it passes by itself, and never jumps.
    """

    __slots__ = ("_first_mode", "_stands_at_ms", "clients")

    def __init__(self, mode: ClockMode = "offset") -> None:
        """Start at the real time."""
        self.clients = ClientClock()
        self._first_mode: ClockMode = mode
        self._stands_at_ms: int | None = None
        self.reset()

    @property
    def mode(self) -> ClockMode:
        """How the time passes now: a clock that was frozen is a manual one."""
        if self._first_mode == "real":
            return "real"
        return "offset" if self._stands_at_ms is None else "manual"

    @property
    def ahead_ms(self) -> int:
        """How far it is ahead of real time; less than 0 where it stood still meanwhile."""
        self.now_ms()
        return self.clients.behind_ms

    def reset(self) -> None:
        """Be real time again, in the mode that it was made with."""
        self.clients.behind_ms = 0
        self._stands_at_ms = None
        self.clients.is_steady = True
        if self._first_mode == "manual":
            self.freeze()

    def now_ms(self) -> int:
        """Read the clock."""
        if self._stands_at_ms is not None:
            self.clients.behind_ms = self._stands_at_ms - _real_ms()
            return self._stands_at_ms
        return _real_ms() + self.clients.behind_ms

    def advance(self, by_ms: int) -> int:
        """Jump `by_ms` milliseconds ahead, and return the new time.

        Raises:
            ValueError: the clock is real time.

        """
        assert by_ms >= 0, by_ms
        self._check_may_jump()
        if self._stands_at_ms is None:
            self.clients.behind_ms += by_ms
        else:
            self._stands_at_ms += by_ms
        return self.now_ms()

    def freeze(self) -> int:
        """Stand still from now on, and return the time.

        Raises:
            ValueError: the clock is real time.

        """
        self._check_may_jump()
        self._stands_at_ms = now_ms = self.now_ms()
        self.clients.is_steady = False
        return now_ms

    def resume(self) -> int:
        """Go on by itself from where the clock stands, and return the time."""
        now_ms = self.now_ms()
        self._stands_at_ms = None
        self.clients.is_steady = True
        return now_ms

    def _check_may_jump(self) -> None:
        if self._first_mode == "real":
            raise ValueError(_NO_JUMPS)


def _real_ms() -> int:
    return time.time_ns() // _NANOSECONDS
