"""Toxic that cuts the bytes of a connection into pieces."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

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


class Slicer(Toxic, frozen=True):
    """Split the data into pieces of about a size, with a delay after each."""

    average_size: Annotated[int, Meta(ge=1)]
    size_variation: Annotated[int, Meta(ge=0)] = 0
    delay: DurationField = "0ms"
    """Delay between two pieces."""

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Create the stage that cuts bytes."""
        return _SlicerStage(self, random, struck)


class _SlicerStage(PassingStage):
    def __init__(self, toxic: Slicer, random: RandomSource, struck: Struck) -> None:
        super().__init__(struck)
        self._toxic = toxic
        self._delay_s = milliseconds(toxic.delay) / MILLISECONDS
        self._random = random
        self._free_from_s = 0.0

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Split bytes into pieces."""
        start = 0
        at_s = max(at_s, self._free_from_s)
        while start < len(data):
            size_bytes = self._next_size()
            if size_bytes < len(data):
                self._struck(min(size_bytes, len(data) - start))
            yield Piece(data[start : start + size_bytes], at_s)
            start += size_bytes
            at_s += self._delay_s
        self._free_from_s = at_s

    def end(self, ending: Ending, at_s: float) -> Iterator[Piece]:
        """End after the pieces."""
        yield Piece(ending, max(at_s, self._free_from_s))

    def _next_size(self) -> int:
        variation = self._toxic.size_variation
        varied = self._random.below(2 * variation + 1) - variation if variation else 0
        return max(1, self._toxic.average_size + varied)
