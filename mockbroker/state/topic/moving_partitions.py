"""The partitions that move at present, and how far their new replicas have copied."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mockbroker.state.topic.topic import Partition, Topic

_MILLISECONDS: Final = 1000


@dataclass(slots=True, kw_only=True)
class Copying:
    """How far the new replicas of one partition are."""

    name: str
    """What the work is called, such as `ReassignPartition orders-0`."""
    resume: Callable[[int], None]
    """Looks again at how fast it may go, and ends the move if that is without limit."""
    remaining_bytes: int
    since_ms: int
    """When the remaining bytes were counted."""
    bytes_per_second: int = 0

    def count(self, now_ms: int) -> None:
        """Count what was copied until now."""
        copied = (now_ms - self.since_ms) * self.bytes_per_second // _MILLISECONDS
        self.remaining_bytes = max(0, self.remaining_bytes - copied)
        self.since_ms = now_ms

    def done_at_ms(self) -> int:
        """Return when the rest will be there, at this rate."""
        assert self.bytes_per_second > 0, self
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
