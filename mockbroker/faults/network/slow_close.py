"""Delays the close of a connection."""

from collections.abc import Iterator

from mockbroker.faults.network.toxic import (
    MILLISECONDS,
    Ending,
    PassingStage,
    Piece,
    Stage,
    Struck,
    Toxic,
)
from mockbroker.faults.tagged import Duration
from mockbroker.settings.duration import milliseconds
from mockbroker.state.random_source import RandomSource


class SlowClose(Toxic, frozen=True):
    """Close a connection later than its side does: the broker, or the client upstream."""

    delay: Duration

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Wait for the end of a connection."""
        return _SlowCloseStage(milliseconds(self.delay), struck)


class _SlowCloseStage(PassingStage):
    def __init__(self, delay_ms: int, struck: Struck) -> None:
        super().__init__(struck)
        self._delay_ms = delay_ms

    def end(self, ending: Ending, at_s: float) -> Iterator[Piece]:
        """Put a close off."""
        if ending is Ending.CLOSE:
            self._struck(0)
            at_s += self._delay_ms / MILLISECONDS
        yield Piece(ending, at_s)
