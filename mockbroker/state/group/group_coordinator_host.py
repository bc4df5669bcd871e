"""What a group's coordinator needs of the cluster around it: a port that `ClusterState` fits."""

from collections.abc import Callable
from typing import Protocol

from mockbroker.state.coordinator.log_records import LogRecords
from mockbroker.state.group.classic.group_host import GroupHost
from mockbroker.state.log.memory_budget import MemoryBudget
from mockbroker.state.observation import Observation


class GroupCoordinatorHost(GroupHost, Protocol):
    """The cluster, as far as a group's coordinator sees it."""

    @property
    def records(self) -> LogRecords:
        """The codec of the brokers' own records, and of what consumers say to each other."""
        ...

    @property
    def budget(self) -> MemoryBudget:
        """The memory that all logs share."""
        ...

    @property
    def observation(self) -> Observation:
        """Whom to tell of what becomes of groups."""
        ...

    def defer(self, name: str, run: Callable[[int], None]) -> None:
        """Let something happen right after the answer that is being made."""
        ...
