"""How much memory all logs of a cluster may hold: `mockbroker.memory.bytes`.

The laws:

1. `used_bytes` is the sum over all batches held of their size plus `BATCH_OVERHEAD_BYTES`. Logs add
   to it inline as they append, and give back what they let go. What producers, sessions and topics
   take is not counted.
2. From nine tenths of the cap on, an append first has every log give back what its own settings
   allow: dead data before the log start offset, and what exceeds `retention.bytes`. Logs are asked
   in the order of their names. After a round that left little room the next one waits until an
   eighth of the rest is used, so that a full house is not searched for every batch.
3. What then still does not fit is refused. Nothing that a topic's settings promise to keep is ever
   dropped.
"""

from typing import Final, Protocol

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition

DEFAULT_MEMORY_BYTES: Final = 2 << 30

BATCH_OVERHEAD_BYTES: Final = 96
"""What a batch costs beside its bytes: the buffer object (33-70), its reference and two index
columns (24), and the room into which these grow."""


class Reclaimable(Protocol):
    """A log, as the budget sees it."""

    @property
    def topic_partition(self) -> TopicPartition:
        """Whose log it is."""
        ...

    def reclaim(self, *, now_ms: int) -> None:
        """Let go of all that the topic's settings allow, and release it from the budget."""
        ...


class MemoryBudget:
    """The account of all logs' memory, and what happens when it runs short."""

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
        """Take a log into the rounds."""
        self._logs[log] = None

    def unregister(self, log: Reclaimable) -> None:
        """Leave a deleted log out of the rounds; what it held it has released itself."""
        del self._logs[log]

    def release(self, charge_bytes: int) -> None:
        """Give back what batches, overhead included, had been charged."""
        self.used_bytes -= charge_bytes
        assert self.used_bytes >= 0, self.used_bytes
        if self.used_bytes < self.pressure_bytes:
            self.reclaim_above_bytes = self.pressure_bytes

    def make_room(self, charge_bytes: int, topic: str, *, now_ms: int) -> None:
        """Have all logs reclaim, and check that `charge_bytes` more fit.

        Called when `used_bytes + charge_bytes` exceeds `reclaim_above_bytes`; it reserves nothing.

        Raises:
            ApiError: KAFKA_STORAGE_ERROR when they do not fit.

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
