"""Clocks: the source of `now_ms`, as a protocol and as a clock that only tests move."""

from typing import Final, Literal, Protocol, TypeAlias, get_args

ClockMode: TypeAlias = Literal["offset", "manual", "real"]
"""Real time with jumps; jumps only; real time only."""

CLOCK_MODES: Final[tuple[ClockMode, ...]] = get_args(ClockMode)
DEFAULT_CLOCK: Final = "offset"


class ClientClock:
    """The clients' clock, relative to the state's clock.

    Clients stamp their records in real time. After the state's clock has jumped, the jump must not
    count as age of a new record: a batch's age is the state's time since its append, plus its age
    by its client's clock at the append. So ages are computed from timestamp + `behind_ms` at the
    append, and stored timestamps do not change.
    """

    __slots__ = ("behind_ms", "is_steady")

    def __init__(self, behind_ms: int = 0) -> None:
        """Start `behind_ms` behind the state's clock; it is negative if that stands still."""
        self.behind_ms = behind_ms
        self.is_steady = True
        """True if only jumps change `behind_ms`; false while the state's clock stands still."""


class Clock(Protocol):
    """A clock for callers of the state; the state itself never reads a clock."""

    @property
    def clients(self) -> ClientClock:
        """The clients' clock, with the lag of the last reading of this clock."""
        ...

    def now_ms(self) -> int:
        """Return the current time in milliseconds since 1970."""
        ...


class MovableClock(Clock, Protocol):
    """A clock that a test can advance, whether or not it also runs by itself."""

    def advance(self, by_ms: int) -> int:
        """Advance by `by_ms` milliseconds at once, and return the new time."""
        ...


class VirtualClock:
    """A clock that stands still until it is advanced (Kafka's `MockTime`).

    It never goes back, because the state compares times. The clients' clock moves with it.
    """

    __slots__ = ("_now_ms", "clients")

    def __init__(self, now_ms: int = 0) -> None:
        """Start at `now_ms`, in milliseconds since 1970."""
        self._now_ms = now_ms
        self.clients = ClientClock()

    def now_ms(self) -> int:
        """Return the time to which the clock was last moved."""
        return self._now_ms

    def advance(self, by_ms: int) -> int:
        """Advance by `by_ms` milliseconds, and return the new time."""
        assert by_ms >= 0, by_ms
        self._now_ms += by_ms
        return self._now_ms

    def advance_to(self, now_ms: int) -> int:
        """Advance to `now_ms`, unless it is in the past, and return the time."""
        self._now_ms = max(self._now_ms, now_ms)
        return self._now_ms
