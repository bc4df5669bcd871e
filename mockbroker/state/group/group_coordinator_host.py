"""Protocol of the cluster for group coordinators; `ClusterState` implements it."""

from collections.abc import Callable
from typing import Protocol

from mockbroker.state.coordinator.log_records import LogRecords
from mockbroker.state.group.classic.group_host import GroupHost
from mockbroker.state.log.memory_budget import MemoryBudget
from mockbroker.state.observation import Observation


class GroupCoordinatorHost(GroupHost, Protocol):
    """The cluster as a group coordinator uses it."""

    @property
    def records(self) -> LogRecords:
        """Codec of internal records and of the consumer protocol's metadata."""
        ...

    @property
    def budget(self) -> MemoryBudget:
        """The memory that all logs share."""
        ...

    @property
    def observation(self) -> Observation:
        """Observer of the groups' state changes."""
        ...

    def defer(self, name: str, run: Callable[[int], None]) -> None:
        """Run an action right after the response that is being built."""
        ...
