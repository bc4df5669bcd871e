"""Toxic that resets a connection."""

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


class ResetPeer(Toxic, frozen=True):
    """Lose the next bytes, and reset the connection (RST) a time after they arrived."""

    after: DurationField = "0ms"

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Create the stage, which waits for the first bytes."""
        return _ResetPeerStage(milliseconds(self.after), struck)


class _ResetPeerStage(PassingStage):
    def __init__(self, after_ms: int, struck: Struck) -> None:
        super().__init__(struck)
        self._after_ms = after_ms
        self._is_over = False

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Drop bytes, and reset the connection."""
        self._struck(len(data))
        if not self._is_over:
            self._is_over = True
            yield Piece(Ending.RESET, at_s + self._after_ms / MILLISECONDS)
