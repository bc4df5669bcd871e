"""Toxic that limits the bandwidth of a connection."""

from collections.abc import Iterator
from typing import Annotated, Final

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

_SLICES_A_SECOND: Final = 10


class Bandwidth(Toxic, frozen=True):
    """Limit a connection to this many kilobytes, of 1000 bytes, a second."""

    rate_kb_s: Annotated[int, Meta(ge=1)]

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Create the stage that slows a connection down."""
        return _BandwidthStage(self.rate_kb_s * 1000, struck)


class _BandwidthStage(PassingStage):
    def __init__(self, bytes_per_s: int, struck: Struck) -> None:
        super().__init__(struck)
        self._bytes_per_s = bytes_per_s
        self._busy_until_s = 0.0

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Pass bytes in tenths of a second's worth, each after its transmission time."""
        self._struck(len(data))
        size = self._bytes_per_s // _SLICES_A_SECOND
        self._busy_until_s = max(self._busy_until_s, at_s)
        for start in range(0, len(data), size):
            part = data[start : start + size]
            self._busy_until_s += len(part) / self._bytes_per_s
            yield Piece(part, self._busy_until_s)

    def end(self, ending: Ending, at_s: float) -> Iterator[Piece]:
        """End after the bytes."""
        yield Piece(ending, max(self._busy_until_s, at_s))
