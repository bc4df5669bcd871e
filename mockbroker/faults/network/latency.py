"""Toxic that delays the bytes of a connection."""

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


class Latency(Toxic, frozen=True):
    """Delay bytes by `latency`, plus or minus a random part of `jitter`."""

    latency: DurationField
    jitter: DurationField = "0ms"

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Create the stage that delays bytes."""
        return _LatencyStage(self, random, struck)


class _LatencyStage(PassingStage):
    def __init__(self, toxic: Latency, random: RandomSource, struck: Struck) -> None:
        super().__init__(struck)
        self._latency_ms = milliseconds(toxic.latency)
        self._jitter_ms = milliseconds(toxic.jitter)
        self._random = random

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Delay bytes."""
        jitter_ms = self._jitter_ms
        varied_ms = self._random.below(2 * jitter_ms + 1) - jitter_ms if jitter_ms else 0
        self._struck(len(data))
        yield Piece(data, at_s + max(0, self._latency_ms + varied_ms) / MILLISECONDS)
