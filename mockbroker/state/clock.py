"""Where `now_ms` comes from: a protocol for the shell to fill, and a clock that only tests move."""

from typing import Protocol


class Clock(Protocol):
    """Tells the time to whoever calls into the state, which never asks for it itself."""

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

    Its time never goes back: state compares the times it was given.
    """

    __slots__ = ("_now_ms",)

    def __init__(self, now_ms: int = 0) -> None:
        """Start at `now_ms`, in milliseconds since 1970."""
        self._now_ms = now_ms

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
