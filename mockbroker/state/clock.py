"""Where `now_ms` comes from: a protocol for the shell to fill, and a clock that only tests move."""

from typing import Protocol


class ClientClock:
    """The clock by which clients stamp their records, seen from the state's clock.

    Clients live in real time. Where the state's clock has jumped, what they write is as old as it
    was when it came, and not as much older as the jump was long: a batch's age is what has passed
    in the state since its append, and what it was behind its client's clock then. So ages are told
    from timestamp + `behind_ms` at the append, and stored timestamps stay as they are.
    """

    __slots__ = ("behind_ms", "is_steady")

    def __init__(self, behind_ms: int = 0) -> None:
        """Be so far behind the state's clock; less than 0 where that stands still."""
        self.behind_ms = behind_ms
        self.is_steady = True
        """Whether `behind_ms` stays as it is but for jumps: not while the state's clock stands."""


class Clock(Protocol):
    """Tells the time to whoever calls into the state, which never asks for it itself."""

    @property
    def clients(self) -> ClientClock:
        """The clock of clients, as far behind as when this clock was last read."""
        ...

    def now_ms(self) -> int:
        """Return the current time in milliseconds since 1970."""
        ...


class MovableClock(Clock, Protocol):
    """A clock that a test may let jump ahead, whether it also passes by itself or not."""

    def advance(self, by_ms: int) -> int:
        """Let `by_ms` milliseconds pass at once, and return the new time."""
        ...


class VirtualClock:
    """A clock that stands still until it is told to move (Kafka's `MockTime`).

    Its time never goes back: state compares the times it was given. Its clients move with it.
    """

    __slots__ = ("_now_ms", "clients")

    def __init__(self, now_ms: int = 0) -> None:
        """Start at `now_ms`, in milliseconds since 1970."""
        self._now_ms = now_ms
        self.clients = ClientClock()

    def now_ms(self) -> int:
        """Return the time to which the clock was moved last."""
        return self._now_ms

    def advance(self, by_ms: int) -> int:
        """Let `by_ms` milliseconds pass, and return the new time."""
        assert by_ms >= 0, by_ms
        self._now_ms += by_ms
        return self._now_ms

    def advance_to(self, now_ms: int) -> int:
        """Move to `now_ms`, or stay where that is already past, and return the time."""
        self._now_ms = max(self._now_ms, now_ms)
        return self._now_ms
