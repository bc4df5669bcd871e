"""Toxic that delays the close of a connection."""

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
from mockbroker.faults.tagged import DurationField
from mockbroker.settings.duration import milliseconds
from mockbroker.state.random_source import RandomSource


class SlowClose(Toxic, frozen=True):
    """Delay the close of a connection by the broker, or upstream by the client."""

    delay: DurationField

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Create the stage, which waits for the end."""
        return _SlowCloseStage(milliseconds(self.delay), struck)


class _SlowCloseStage(PassingStage):
    def __init__(self, delay_ms: int, struck: Struck) -> None:
        super().__init__(struck)
        self._delay_ms = delay_ms

    def end(self, ending: Ending, at_s: float) -> Iterator[Piece]:
        """Delay the close."""
        if ending is Ending.CLOSE:
            self._struck(0)
            at_s += self._delay_ms / MILLISECONDS
        yield Piece(ending, at_s)
