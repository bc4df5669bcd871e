"""Protocols that consumer groups depend on: the cluster and the store of groups."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from mockbroker.state.coordinator.log_records import LogRecords
from mockbroker.state.group.classic.group_host import GroupHost
from mockbroker.state.group.group import Group
from mockbroker.state.group.group_log_record import GroupLogRecord
from mockbroker.state.group.modern.topic_metadata import TopicHost
from mockbroker.state.observation import Observation


class ConsumerGroupHost(GroupHost, TopicHost, Protocol):
    """The cluster as consumer groups use it."""

    @property
    def records(self) -> LogRecords:
        """Codec of the consumer protocol's metadata."""
        ...

    @property
    def observation(self) -> Observation:
        """Observer of the groups' state changes."""
        ...

    def defer(self, name: str, run: Callable[[int], None]) -> None:
        """Run an action right after the response that is being built."""
        ...


class ModernGroupStore(Protocol):
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

    def __iter__(self) -> Iterator[Group]:
        """Iterate over all groups."""
        ...

    def append(self, group_id: str, records: Sequence[GroupLogRecord], now_ms: int) -> None:
        """Append records to the partition of a group, and apply them.

        Raises:
            ApiError: With the code for clients; nothing has changed then.

        """
        ...
