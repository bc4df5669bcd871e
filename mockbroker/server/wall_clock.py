"""State clock of a running cluster: real time, and the jumps that a test makes."""

import time
from typing import Final

from mockbroker.state.clock import DEFAULT_CLOCK, ClientClock, ClockMode

_NANOSECONDS: Final = 1_000_000
_NO_JUMPS: Final = (
    "this cluster's clock only follows real time: create the cluster with clock='offset' or"
    " clock='manual' to move or stop its clock"
)


class WallClock:
    """Clock in milliseconds since 1970, in one of three modes.

    `offset`: follows real time, and can jump. `manual`: stands still between jumps. `real`: follows
    real time, and never jumps.
    """

    __slots__ = ("_stands_at_ms", "clients", "first_mode")

    def __init__(self, mode: ClockMode = DEFAULT_CLOCK) -> None:
        """Start at the real time."""
        self.clients = ClientClock()
        self.first_mode: ClockMode = mode
        """The mode at the start, and after a reset."""
        self._stands_at_ms: int | None = None
        self.reset()

    @property
    def mode(self) -> ClockMode:
        """Current mode; a frozen clock is a manual one."""
        if self.first_mode == "real":
            return "real"
        return "offset" if self._stands_at_ms is None else "manual"

    @property
    def ahead_ms(self) -> int:
        """Milliseconds ahead of real time; negative after the clock stood still."""
        self.now_ms()
        return self.clients.behind_ms

    def reset(self) -> None:
        """Return to real time, in the initial mode."""
        self.clients.behind_ms = 0
        self._stands_at_ms = None
        self.clients.is_steady = True
        if self.first_mode == "manual":
            self.freeze()

    def now_ms(self) -> int:
        """Return the current time."""
        if self._stands_at_ms is not None:
            self.clients.behind_ms = self._stands_at_ms - _real_ms()
            return self._stands_at_ms
        return _real_ms() + self.clients.behind_ms

    def advance(self, by_ms: int) -> int:
        """Jump `by_ms` milliseconds ahead, and return the new time.

        Raises:
            ValueError: the mode is `real`.

        """
        assert by_ms >= 0, by_ms
        self._check_may_jump()
        if self._stands_at_ms is None:
            self.clients.behind_ms += by_ms
        else:
            self._stands_at_ms += by_ms
        return self.now_ms()

    def freeze(self) -> int:
        """Stop the clock, and return its time.

        Raises:
            ValueError: the mode is `real`.

        """
        self._check_may_jump()
        self._stands_at_ms = now_ms = self.now_ms()
        self.clients.is_steady = False
        return now_ms

    def resume(self) -> int:
        """Let time pass again from the clock's present time, and return it."""
        now_ms = self.now_ms()
        self._stands_at_ms = None
        self.clients.is_steady = True
        return now_ms

    def _check_may_jump(self) -> None:
        if self.first_mode == "real":
            raise ValueError(_NO_JUMPS)


def _real_ms() -> int:
    return time.time_ns() // _NANOSECONDS
