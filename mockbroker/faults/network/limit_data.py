"""Closes a connection after a number of bytes."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from mockbroker.faults.network.toxic import (
    Ending,
    PassingStage,
    Piece,
    Stage,
    Struck,
    Toxic,
)
from mockbroker.state.random_source import RandomSource


class LimitData(Toxic, frozen=True):
    """Close a connection after this many more bytes."""

    limit_bytes: Annotated[int, Meta(ge=0)]

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Count what a connection carries from now on."""
        return _LimitDataStage(self.limit_bytes, struck)


class _LimitDataStage(PassingStage):
    def __init__(self, limit_bytes: int, struck: Struck) -> None:
        super().__init__(struck)
        self._left_bytes = limit_bytes
        self._is_over = False

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Let through what is within the limit, and end where that is reached."""
        within = data[: self._left_bytes]
        self._left_bytes -= len(within)
        if within:
            yield Piece(within, at_s)
        if not self._left_bytes and not self._is_over:
            self._is_over = True
            self._struck(len(data))
            yield Piece(Ending.CLOSE, at_s)
