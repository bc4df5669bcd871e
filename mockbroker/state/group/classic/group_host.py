"""Protocols that group membership depends on: the cluster and the store of groups."""

from collections.abc import Callable, Hashable, Mapping
from typing import Protocol

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.coordinator.holds import HeldReconciliations
from mockbroker.state.coordinator.log_records import LogRecords
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.share.share_state_host import ShareStateHost
from mockbroker.state.log.memory_budget import MemoryBudget
from mockbroker.state.observation import Observation
from mockbroker.state.release.options import Options
from mockbroker.state.replication.broker import Broker
from mockbroker.state.timers import Timers
from mockbroker.state.topic.topic_registry import TopicRegistry


class GroupHost(Protocol):
    """The cluster as group membership uses it."""

    @property
    def options(self) -> Options:
        """Behaviour of the simulated Kafka release."""
        ...

    @property
    def configs(self) -> ConfigRepository:
        """The configs of all brokers."""
        ...

    @property
    def timers(self) -> Timers:
        """Timers of the cluster; the groups of a broker share one of them."""
        ...

    @property
    def seed(self) -> int:
        """Seed of all random choices."""
        ...

    @property
    def held_reconciliations(self) -> HeldReconciliations:
        """The groups that a test keeps from new assignments."""
        ...

    @property
    def answered(self) -> Callable[[Hashable], None]:
        """Callback for each `Awaited` that has got its answer."""
        ...


class GroupStore(Protocol):
    """The groups of the partitions of `__consumer_offsets` that a broker leads."""

    def make_classic(self, group_id: str, now_ms: int, *, for_new_member: bool) -> None:
        """Have a group end that is empty and of another protocol.

        Raises:
            ApiError: INCONSISTENT_GROUP_PROTOCOL if it has members.

        """
        ...

    def get(self, group_id: str) -> ClassicGroup | None:
        """Return a classic group; None if it does not exist.

        Raises:
            ApiError: NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS.

        """
        ...

    def find(self, group_id: str) -> ClassicGroup | None:
        """Return a group; None if it does not exist, or its partition is not loaded here."""
        ...

    def add(self, group: ClassicGroup) -> None:
        """Add a new group.

        Raises:
            ApiError: NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS.

        """
        ...

    def remove(self, group: ClassicGroup) -> None:
        """Remove a group."""
        ...

    def store(self, group: ClassicGroup, assignments: Mapping[str, bytes], now_ms: int) -> None:
        """Write a group to the log, with the assignments that its members are about to get.

        Raises:
            ApiError: With the code for the members; nothing has changed then.

        """
        ...


class GroupCoordinatorHost(GroupHost, ShareStateHost, Protocol):
    """The cluster as a group coordinator uses it."""

    @property
    def configs(self) -> ConfigRepository:
        """The configs of all brokers."""
        ...

    @property
    def topics(self) -> TopicRegistry:
        """The topics that exist."""
        ...

    @property
    def brokers(self) -> Mapping[int, Broker]:
        """The brokers by id."""
        ...

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
