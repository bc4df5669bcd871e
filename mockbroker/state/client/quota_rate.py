"""Rate of what clients send, fetch or cost over the last seconds: Kafka's Rate of a WindowedSum."""

from dataclasses import dataclass
from typing import Final

_SECOND_MS: Final = 1000


@dataclass(slots=True)
class _Sample:
    start_ms: int
    last_event_ms: int
    total: float = 0.0


class QuotaRate:
    """Rate over a number of samples, each of which is as long as a window."""

    __slots__ = ("_current", "_samples", "_samples_max", "_window_ms")

    def __init__(self, samples: int, window_ms: int) -> None:
        """Start with nothing recorded; `samples` is `quota.window.num`."""
        self._samples_max: Final = samples
        self._window_ms: Final = window_ms
        self._samples: Final[list[_Sample]] = []
        self._current = 0

    def record(self, value: float, now_ms: int) -> None:
        """Add to the current sample, or to the next one if that is over."""
        if not self._samples:
            self._samples.append(_Sample(now_ms, now_ms))
        sample = self._samples[self._current]
        if now_ms - sample.start_ms >= self._window_ms:
            sample = self._next(now_ms)
        sample.total += value
        sample.last_event_ms = now_ms

    def per_second(self, now_ms: int) -> float:
        """Return the rate at a time."""
        self._forget_old(now_ms)
        total = sum(sample.total for sample in self._samples)
        return total / (self.window_ms(now_ms) / _SECOND_MS)

    def window_ms(self, now_ms: int) -> int:
        """Return the time over which the rate is taken: at least all samples but one."""
        self._forget_old(now_ms)
        oldest_ms = min((sample.start_ms for sample in self._samples), default=now_ms)
        elapsed_ms = now_ms - oldest_ms
        missing = max(self._samples_max - 1 - elapsed_ms // self._window_ms, 0)
        return max(elapsed_ms + missing * self._window_ms, 1)

    def _next(self, now_ms: int) -> _Sample:
        self._current = (self._current + 1) % (self._samples_max + 1)
        if self._current >= len(self._samples):
            self._samples.append(_Sample(now_ms, now_ms))
        else:
            self._samples[self._current] = _Sample(now_ms, now_ms)
        return self._samples[self._current]

    def _forget_old(self, now_ms: int) -> None:
        limit_ms = now_ms - self._samples_max * self._window_ms
        for index, sample in enumerate(self._samples):
            if sample.last_event_ms <= limit_ms:
                self._samples[index] = _Sample(now_ms, now_ms)
