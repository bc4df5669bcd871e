"""Partitions under reassignment, and the progress of their new replicas."""

from collections.abc import Callable
from typing import Final

from mockbroker.state.topic.topic import Partition, Topic

_MILLISECONDS: Final = 1000


class Copying:
    """Progress of the new replicas of one partition."""

    __slots__ = ("bytes_per_second", "name", "remaining_bytes", "resume", "since_ms")

    def __init__(
        self, *, name: str, resume: Callable[[int], None], remaining_bytes: int, since_ms: int
    ) -> None:
        """Begin to copy, at rate 0."""
        self.name: Final = name
        """Name of the pending work, such as `ReassignPartition orders-0`."""
        self.resume: Final = resume
        """Updates the rate, and completes the reassignment if the rate is unlimited."""
        self.remaining_bytes = remaining_bytes
        self.since_ms = since_ms
        """Time at which the remaining bytes were counted."""
        self.bytes_per_second = 0

    def count(self, now_ms: int) -> None:
        """Subtract the bytes that were copied until now."""
        copied = (now_ms - self.since_ms) * self.bytes_per_second // _MILLISECONDS
        self.remaining_bytes = max(0, self.remaining_bytes - copied)
        self.since_ms = now_ms

    def done_at_ms(self) -> int:
        """Return the time at which the rest will be copied, at the present rate."""
        assert self.bytes_per_second > 0, self.name
        return self.since_ms + -(-self.remaining_bytes * _MILLISECONDS // self.bytes_per_second)


class MovingPartitions:
    """Partitions under reassignment, in the order in which they began."""

    def __init__(self, defer: Callable[[str, Callable[[int], None]], None]) -> None:
        """Create it; `defer` runs work right after a response."""
        self._defer = defer
        self.copying: dict[Partition, Copying] = {}

    def configs_changed(self) -> None:
        """Have every copy update its rate."""
        for copying in self.copying.values():
            self._defer(copying.name, copying.resume)

    def topic_deleted(self, topic: Topic) -> None:
        """Remove the partitions of a deleted topic."""
        for partition in topic.partitions:
            self.copying.pop(partition, None)

    def as_text(self) -> list[str]:
        """Show the progress of each copy."""
        return [
            f"{copying.name}: {copying.remaining_bytes} bytes at {copying.since_ms} ms"
            for copying in self.copying.values()
        ]
