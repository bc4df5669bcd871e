"""The memory limit for all logs of a cluster: `mockbroker.memory.bytes`.

Invariants:

1. `used_bytes` is the sum of size plus `BATCH_OVERHEAD_BYTES` over all stored batches. Logs add to
   it inline when they append, and release what they drop. The memory of producers, sessions and
   topics is not counted.
2. From nine tenths of the limit on, an append first makes every log release what its own settings
   allow: dead data before the log start offset, and data in excess of `retention.bytes`. Logs are
   asked in the order of their names. After a round that left little room, the next round starts
   only when an eighth of the rest is used, so that not every batch searches all logs.
3. A batch that still does not fit is refused. Data that a topic's settings promise to keep is never
   dropped.
"""

from typing import Final, Protocol

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition

DEFAULT_MEMORY_BYTES: Final = 2 << 30

BATCH_OVERHEAD_BYTES: Final = 96
"""The cost of a batch in addition to its bytes: the buffer object (33-70), its reference and two
index columns (24), and their spare capacity."""


class Reclaimable(Protocol):
    """The part of a log that the budget uses."""

    @property
    def topic_partition(self) -> TopicPartition:
        """The partition of the log."""
        ...

    def reclaim(self, *, now_ms: int) -> None:
        """Drop all data that the topic's settings allow, and release it from the budget."""
        ...


class MemoryBudget:
    """The memory account of all logs; makes logs reclaim when memory is short."""

    __slots__ = ("_logs", "limit_bytes", "pressure_bytes", "reclaim_above_bytes", "used_bytes")

    def __init__(self, limit_bytes: int = DEFAULT_MEMORY_BYTES) -> None:
        """Allow `limit_bytes` in total."""
        assert limit_bytes > 0, limit_bytes
        self._logs: dict[Reclaimable, None] = {}
        self.limit_bytes = limit_bytes
        self.pressure_bytes = limit_bytes - limit_bytes // 10
        self.reclaim_above_bytes = self.pressure_bytes
        self.used_bytes = 0

    def register(self, log: Reclaimable) -> None:
        """Include a log in the reclaim rounds."""
        self._logs[log] = None

    def unregister(self, log: Reclaimable) -> None:
        """Exclude a deleted log from the rounds; it has already released its own memory."""
        del self._logs[log]

    def release(self, charge_bytes: int) -> None:
        """Return the charge of dropped batches, overhead included."""
        self.used_bytes -= charge_bytes
        assert self.used_bytes >= 0, self.used_bytes
        if self.used_bytes < self.pressure_bytes:
            self.reclaim_above_bytes = self.pressure_bytes

    def make_room(self, charge_bytes: int, topic: str, *, now_ms: int) -> None:
        """Make all logs reclaim, and check that `charge_bytes` more fit.

        Called when `used_bytes + charge_bytes` exceeds `reclaim_above_bytes`; it reserves nothing.

        Raises:
            ApiError: KAFKA_STORAGE_ERROR if they do not fit.

        """
        for log in sorted(self._logs, key=lambda log: log.topic_partition):
            log.reclaim(now_ms=now_ms)
        room_bytes = max(0, self.limit_bytes - self.used_bytes)
        self.reclaim_above_bytes = max(self.pressure_bytes, self.used_bytes + room_bytes // 8)
        if charge_bytes > room_bytes:
            raise ApiError(
                ErrorCode.KAFKA_STORAGE_ERROR,
                f"topic {topic}: {charge_bytes} bytes more do not fit, {self.used_bytes} of "
                f"{self.limit_bytes} are in use; raise mockbroker.memory.bytes, or lower "
                f"retention.bytes of topic {topic}",
            )
