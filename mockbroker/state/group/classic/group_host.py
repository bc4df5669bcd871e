"""What the membership of groups needs around it: ports that the cluster and its log fit."""

from collections.abc import Callable, Hashable, Mapping
from typing import Protocol

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.release.options import Options
from mockbroker.state.timers import Timers


class GroupHost(Protocol):
    """The cluster, as far as the membership of groups sees it."""

    @property
    def options(self) -> Options:
        """How this generation of Kafka behaves."""
        ...

    @property
    def configs(self) -> ConfigRepository:
        """The configs of all brokers."""
        ...

    @property
    def timers(self) -> Timers:
        """The deadlines of the cluster; the groups of a broker have one of them."""
        ...

    @property
    def seed(self) -> int:
        """What all that is drawn by lot begins from."""
        ...

    @property
    def answered(self) -> Callable[[Hashable], None]:
        """Told of every `Awaited` that has got its answer."""
        ...


class GroupStore(Protocol):
    """The groups of the partitions of `__consumer_offsets` that a broker leads."""

    def get(self, group_id: str) -> ClassicGroup | None:
        """Return a group, or None where nothing is known of it.

        Raises:
            ApiError: NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS.

        """
        ...

    def find(self, group_id: str) -> ClassicGroup | None:
        """Return a group, or None where nothing is known of it, for whatever reason."""
        ...

    def add(self, group: ClassicGroup) -> None:
        """Take a new group in.

        Raises:
            ApiError: NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS.

        """
        ...

    def remove(self, group: ClassicGroup) -> None:
        """Forget a group."""
        ...

    def store(self, group: ClassicGroup, assignments: Mapping[str, bytes], now_ms: int) -> None:
        """Write a group to the log, with the assignments that its members are to get.

        Raises:
            ApiError: with the codes that members are told; nothing has changed then.

        """
        ...
