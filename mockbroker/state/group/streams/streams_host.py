"""Protocols that streams groups depend on: the topics of the cluster, and the store of groups."""

from collections.abc import Collection, Sequence
from typing import Protocol

from mockbroker.state.coordinator.holds import HeldReconciliations
from mockbroker.state.group.group import Group
from mockbroker.state.group.group_log_record import GroupRecord
from mockbroker.state.group.streams.streams_records import StreamsRecord
from mockbroker.state.observation import Observation
from mockbroker.state.timers import Timers


class StreamsHost(Protocol):
    """The cluster as streams groups use it."""

    @property
    def timers(self) -> Timers:
        """Timers of the cluster; the groups of a broker share one of them."""
        ...

    @property
    def held_reconciliations(self) -> HeldReconciliations:
        """The groups that a test keeps from new assignments."""
        ...

    @property
    def observation(self) -> Observation:
        """Observer of the groups' state changes."""
        ...


class StreamsTopics(Protocol):
    """The topics of a cluster as groups see them."""

    @property
    def revision(self) -> int:
        """A number that grows with every change of a topic."""
        ...

    def partition_count(self, topic: str) -> int | None:
        """Return the partition count of a topic, or None if the topic does not exist."""
        ...

    def hash_of(self, names: Collection[str]) -> int:
        """Return a hash of those of the topics that exist; 0 if none does."""
        ...


class StreamsGroupStore(Protocol):
    """The groups of the partitions of `__consumer_offsets` that a broker leads."""

    def get(self, group_id: str) -> Group | None:
        """Return a group of any kind; None if it does not exist.

        Raises:
            ApiError: NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS.

        """
        ...

    def find(self, group_id: str) -> Group | None:
        """Return a group; None if it does not exist, or its partition is not loaded here."""
        ...

    def append(
        self, group_id: str, records: Sequence[StreamsRecord | GroupRecord], now_ms: int
    ) -> None:
        """Append records to the partition of a group, and apply them.

        Raises:
            ApiError: With the code for clients; nothing has changed then.

        """
        ...
