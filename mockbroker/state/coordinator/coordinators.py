"""The coordinators of all brokers: one each, and who leads what of their topic.

A coordinator is made when it is first asked for. One that owns nothing has no timers and nothing to
show, so nobody can tell it from one that is yet to be made; and a cluster whose clients know
neither groups nor transactions imports nothing of them.
"""

from collections.abc import Callable, Iterator
from typing import Final, Generic, Protocol, TypeVar

from mockbroker.state.topic.topic import NO_LEADER, Partition, Topic


class Coordinator(Protocol):
    """What owns the partitions of an internal topic that its broker leads."""

    def startup(self, now_ms: int) -> None:
        """Set the timers."""
        ...

    def on_election(self, partition_index: int, coordinator_epoch: int, /) -> None:
        """Take over a partition, under its leader epoch."""
        ...

    def on_resignation(self, partition_index: int, coordinator_epoch: int | None = None, /) -> None:
        """Give a partition up: another broker leads it, or it is deleted."""
        ...

    def as_text(self) -> list[str]:
        """Show what is known, in a stable form."""
        ...


CoordinatorT = TypeVar("CoordinatorT", bound=Coordinator)


class Coordinators(Generic[CoordinatorT]):
    """Every broker's coordinator of one kind; what leads a partition of its topic owns it."""

    __slots__ = ("_by_broker", "_make", "_started_ms", "_title", "_topic")

    def __init__(
        self, title: str, topic: str, make: Callable[[int], CoordinatorT], started_ms: int
    ) -> None:
        """Have `make` make a broker's coordinator, which was then there since `started_ms`."""
        self._title: Final = title
        self._topic: Final = topic
        self._make: Final = make
        self._started_ms: Final = started_ms
        self._by_broker: Final[dict[int, CoordinatorT]] = {}

    def __getitem__(self, broker_id: int) -> CoordinatorT:
        """Return a broker's coordinator."""
        coordinator = self._by_broker.get(broker_id)
        if coordinator is None:
            coordinator = self._by_broker[broker_id] = self._make(broker_id)
            coordinator.startup(self._started_ms)
        return coordinator

    def __iter__(self) -> Iterator[CoordinatorT]:
        """Go through those that have been made."""
        return iter(self._by_broker.values())

    def topic_created(self, topic: Topic) -> None:
        """Let the leaders of the topic own what they lead, if it is this one."""
        for partition in topic.partitions if topic.name == self._topic else ():
            self._elected(partition)

    def leader_elected(self, partition: Partition, previous_id: int) -> None:
        """Let the new leader of a partition of the topic own it, if any, instead of the old one."""
        topic, index = partition.topic_partition
        if topic == self._topic:
            if previous_id != NO_LEADER:
                self[previous_id].on_resignation(index, partition.leader_epoch)
            self._elected(partition)

    def _elected(self, partition: Partition) -> None:
        if partition.leader_id != NO_LEADER:
            index = partition.topic_partition.partition
            self[partition.leader_id].on_election(index, partition.leader_epoch)

    def topic_deleted(self, topic: Topic) -> None:
        """Let nobody own what was of the topic, if it is this one."""
        for partition in topic.partitions if topic.name == self._topic else ():
            if partition.leader_id != NO_LEADER:
                self[partition.leader_id].on_resignation(partition.topic_partition.partition)

    def as_text(self) -> list[str]:
        """Show what each of them knows, in a stable form."""
        return [
            f"{self._title} {broker_id}: {line}"
            for broker_id, coordinator in sorted(self._by_broker.items())
            for line in coordinator.as_text()
        ]
