"""The coordinators of one kind, one per broker, and their ownership of a topic's partitions.

A coordinator is created on first use. A coordinator that owns nothing has no timers and no text, so
its creation cannot be observed; and a cluster whose clients use neither groups nor transactions
does not import their modules.
"""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from mockbroker.state.topic.topic import (
    CONSUMER_OFFSETS,
    NO_LEADER,
    SHARE_GROUP_STATE,
    TRANSACTION_STATE,
    Partition,
    Topic,
)

if TYPE_CHECKING:
    from mockbroker.state.coordinator.coordinator_log import LogHost
    from mockbroker.state.group.classic.group_host import GroupCoordinatorHost
    from mockbroker.state.group.group_coordinator import GroupCoordinator
    from mockbroker.state.share.share_coordinator import ShareCoordinator, ShareCoordinatorHost
    from mockbroker.state.transaction.coordinator_host import CoordinatorHost
    from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator


class Coordinator(Protocol):
    """An owner of the partitions of an internal topic that its broker leads."""

    def startup(self, now_ms: int) -> None:
        """Set the timers."""
        ...

    def on_creation(self, partition_index: int, coordinator_epoch: int, /) -> None:
        """Own a new partition, which has no records to load."""
        ...

    def on_election(self, partition_index: int, coordinator_epoch: int, /) -> None:
        """Take over a partition, under its leader epoch."""
        ...

    def on_resignation(self, partition_index: int, coordinator_epoch: int | None = None, /) -> None:
        """Give up a partition that has a new leader or was deleted."""
        ...

    def as_text(self) -> list[str]:
        """Return the coordinator's state as text in a stable form."""
        ...


CoordinatorT = TypeVar("CoordinatorT", bound=Coordinator)


class Coordinators(Generic[CoordinatorT]):
    """Every broker's coordinator of one kind; the leader's coordinator owns a partition."""

    __slots__ = ("_by_broker", "_make", "_started_ms", "_title", "_topic")

    def __init__(
        self, title: str, topic: str, make: Callable[[int], CoordinatorT], started_ms: int
    ) -> None:
        """Create coordinators with `make` on first use, as if started at `started_ms`."""
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
        """Yield the coordinators that were created."""
        return iter(self._by_broker.values())

    def topic_created(self, topic: Topic) -> None:
        """Assign the partitions of the coordinators' topic to their leaders; ignore others."""
        for partition in topic.partitions if topic.name == self._topic else ():
            if partition.leader_id != NO_LEADER:
                index = partition.topic_partition.partition
                self[partition.leader_id].on_creation(index, partition.leader_epoch)

    def leader_elected(self, partition: Partition, previous_id: int) -> None:
        """Move a partition of the topic from the old leader, if any, to the new one, if any."""
        topic, index = partition.topic_partition
        if topic == self._topic:
            if previous_id != NO_LEADER:
                self[previous_id].on_resignation(index, partition.leader_epoch)
            if partition.leader_id != NO_LEADER:
                self[partition.leader_id].on_election(index, partition.leader_epoch)

    def topic_deleted(self, topic: Topic) -> None:
        """Take the partitions of the coordinators' topic from their leaders; ignore others."""
        for partition in topic.partitions if topic.name == self._topic else ():
            if partition.leader_id != NO_LEADER:
                self[partition.leader_id].on_resignation(partition.topic_partition.partition)

    def as_text(self) -> list[str]:
        """Return the state of every coordinator as text in a stable form."""
        return [
            f"{self._title} {broker_id}: {line}"
            for broker_id, coordinator in sorted(self._by_broker.items())
            for line in coordinator.as_text()
        ]


def group_coordinators(
    host: "GroupCoordinatorHost", log_host: "LogHost", now_ms: int
) -> "Coordinators[GroupCoordinator]":
    """Create a coordinator per broker for the partitions of `__consumer_offsets` it leads."""
    make = partial(_group_coordinator, host, log_host)
    return Coordinators("group coordinator", CONSUMER_OFFSETS, make, now_ms)


def _group_coordinator(
    host: "GroupCoordinatorHost", log_host: "LogHost", broker_id: int
) -> "GroupCoordinator":
    # Imported late: a cluster whose clients use no groups does without.
    from mockbroker.state.group.group_coordinator import GroupCoordinator

    return GroupCoordinator(broker_id, host, log_host)


def share_coordinators(
    host: "ShareCoordinatorHost", now_ms: int
) -> "Coordinators[ShareCoordinator]":
    """Create a coordinator per broker for the partitions of `__share_group_state` it leads."""
    return Coordinators(
        "share coordinator", SHARE_GROUP_STATE, partial(_share_coordinator, host), now_ms
    )


def _share_coordinator(host: "ShareCoordinatorHost", broker_id: int) -> "ShareCoordinator":
    # Imported by name: a cluster whose clients use no share groups does without.
    module = import_module("mockbroker.state.share.share_coordinator")
    coordinator: ShareCoordinator = module.ShareCoordinator(broker_id, host)
    return coordinator


def transaction_coordinators(
    host: "CoordinatorHost", log_host: "LogHost", now_ms: int
) -> "Coordinators[TransactionCoordinator]":
    """Return a coordinator per broker, which owns the partitions of the log that it leads."""
    make = partial(_transaction_coordinator, host, log_host)
    return Coordinators("coordinator", TRANSACTION_STATE, make, now_ms)


def _transaction_coordinator(
    host: "CoordinatorHost", log_host: "LogHost", broker_id: int
) -> "TransactionCoordinator":
    # Imported late: a cluster whose clients use no transactions does without.
    from mockbroker.state.transaction.topic_transaction_log import logging_coordinator

    return logging_coordinator(broker_id, host, log_host)
