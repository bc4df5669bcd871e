"""The sweep for expired producers, in slices.

Checking a million producers takes about a second. To avoid that pause, a slice checks a few
thousand, across logs, and the next slice continues after them.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mockbroker.state.log.partition_log import PartitionLog

PRODUCERS_PER_SLICE: Final = 2_000
"""Takes less than a millisecond, even if all of them have expired."""


class ProducerExpiration:
    """One round over all logs, and in each over the producers that it has when its turn begins."""

    __slots__ = ("_left", "_log", "_logs")

    def __init__(self, logs: Iterable["PartitionLog"]) -> None:
        """Begin with the first log; `logs` is consumed lazily."""
        self._logs = iter(logs)
        self._next_log()

    def _next_log(self) -> None:
        self._log = next(self._logs, None)
        self._left = 0 if self._log is None else self._log.producers.round_size

    def run_slice(self, now_ms: int, producers: int = PRODUCERS_PER_SLICE) -> bool:
        """Check up to `producers` producers, and return whether the round is over."""
        while self._log is not None and producers > 0:
            looked_at = min(self._left, producers)
            manager = self._log.producers
            manager.remove_expired_verifications(now_ms, looked_at)
            expired = manager.remove_expired_producers(now_ms, looked_at)
            reporter = self._log.observation.reporter
            if expired and reporter is not None:
                reporter.producers_expired(self._log.topic_partition, expired)
            producers -= max(1, looked_at)
            self._left -= looked_at
            if not self._left:
                self._next_log()
        return self._log is None
