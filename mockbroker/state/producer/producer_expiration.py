"""The sweep for expired producers, a slice at a time.

A million producers take about a second to look at. Nobody waits for that: a slice looks at a few
thousand, whichever logs they are in, and the next slice goes on behind them.
"""

from collections.abc import Iterable
from typing import Final

from mockbroker.state.log.partition_log import PartitionLog

PRODUCERS_PER_SLICE: Final = 2_000
"""Less than a millisecond's work, even where all of them are to be forgotten."""


class ProducerExpiration:
    """One round through all logs, and in each through the producers that it has when it begins."""

    __slots__ = ("_left", "_log", "_logs")

    def __init__(self, logs: Iterable[PartitionLog]) -> None:
        """Begin with the first log; `logs` are only taken as the round gets to them."""
        self._logs = iter(logs)
        self._next_log()

    def _next_log(self) -> None:
        self._log = next(self._logs, None)
        self._left = 0 if self._log is None else self._log.producers.round_size

    def run_slice(self, now_ms: int, producers: int = PRODUCERS_PER_SLICE) -> bool:
        """Look at so many producers, and return whether the round is over."""
        while self._log is not None and producers > 0:
            looked_at = min(self._left, producers)
            manager = self._log.producers
            manager.remove_expired_verifications(now_ms, looked_at)
            expired = manager.remove_expired_producers(now_ms, looked_at)
            if expired:
                self._log.observation.producers_expired(self._log.topic_partition, expired)
            producers -= max(1, looked_at)
            self._left -= looked_at
            if not self._left:
                self._next_log()
        return self._log is None
