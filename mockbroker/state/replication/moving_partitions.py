"""The partitions that move at present, and how far their new replicas have copied."""

from collections.abc import Callable
from typing import Final

from mockbroker.state.topic.topic import Partition, Topic

_MILLISECONDS: Final = 1000


class Copying:
    """How far the new replicas of one partition are."""

    __slots__ = ("bytes_per_second", "name", "remaining_bytes", "resume", "since_ms")

    def __init__(
        self, *, name: str, resume: Callable[[int], None], remaining_bytes: int, since_ms: int
    ) -> None:
        """Begin to copy, at no rate yet."""
        self.name: Final = name
        """What the work is called, such as `ReassignPartition orders-0`."""
        self.resume: Final = resume
        """Looks again at how fast it may go, and ends the move if that is without limit."""
        self.remaining_bytes = remaining_bytes
        self.since_ms = since_ms
        """When the remaining bytes were counted."""
        self.bytes_per_second = 0

    def count(self, now_ms: int) -> None:
        """Count what was copied until now."""
        copied = (now_ms - self.since_ms) * self.bytes_per_second // _MILLISECONDS
        self.remaining_bytes = max(0, self.remaining_bytes - copied)
        self.since_ms = now_ms

    def done_at_ms(self) -> int:
        """Return when the rest will be there, at this rate."""
        assert self.bytes_per_second > 0, self.name
        return self.since_ms + -(-self.remaining_bytes * _MILLISECONDS // self.bytes_per_second)


class MovingPartitions:
    """What moves, in the order in which it began."""

    def __init__(self, defer: Callable[[str, Callable[[int], None]], None]) -> None:
        """Leave work to `defer` that is done right after an answer."""
        self._defer = defer
        self.copying: dict[Partition, Copying] = {}

    def configs_changed(self) -> None:
        """Have every copy look at its rate again."""
        for copying in self.copying.values():
            self._defer(copying.name, copying.resume)

    def topic_deleted(self, topic: Topic) -> None:
        """Forget the partitions of a topic that is gone."""
        for partition in topic.partitions:
            self.copying.pop(partition, None)

    def as_text(self) -> list[str]:
        """Show how far each copy is."""
        return [
            f"{copying.name}: {copying.remaining_bytes} bytes at {copying.since_ms} ms"
            for copying in self.copying.values()
        ]
