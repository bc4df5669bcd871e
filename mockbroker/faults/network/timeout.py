"""Toxic that stops all bytes of a connection, and closes it."""

from collections.abc import Iterator

from mockbroker.faults.network.toxic import (
    MILLISECONDS,
    PassingStage,
    Piece,
    Stage,
    Struck,
    Toxic,
)
from mockbroker.faults.tagged import DurationField
from mockbroker.settings.duration import milliseconds
from mockbroker.state.random_source import RandomSource


class Timeout(Toxic, frozen=True):
    """Stop all data, and close the connection after a time; with 0 never."""

    timeout: DurationField = "0ms"

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Create the stage that drops bytes."""
        return _TimeoutStage(milliseconds(self.timeout), struck)


class _TimeoutStage(PassingStage):
    def __init__(self, timeout_ms: int, struck: Struck) -> None:
        super().__init__(struck)
        self._timeout_ms = timeout_ms

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Drop bytes."""
        self._struck(len(data))
        yield from ()

    def ends_at_s(self, now_s: float) -> float | None:
        """End when the time is up."""
        return now_s + self._timeout_ms / MILLISECONDS if self._timeout_ms else None
