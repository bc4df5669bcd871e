"""The coordinators of all brokers for groups."""

from typing import TYPE_CHECKING

from mockbroker.state.coordinator.coordinators import Coordinators
from mockbroker.state.topic.topic import CONSUMER_OFFSETS

if TYPE_CHECKING:
    from mockbroker.state.coordinator.coordinator_log import LogHost
    from mockbroker.state.group.group_coordinator import GroupCoordinator
    from mockbroker.state.group.group_coordinator_host import GroupCoordinatorHost


def group_coordinators(
    host: "GroupCoordinatorHost", log_host: "LogHost", now_ms: int
) -> "Coordinators[GroupCoordinator]":
    """Have a coordinator for each broker, which owns what it leads of `__consumer_offsets`."""

    def make(broker_id: int) -> "GroupCoordinator":
        from mockbroker.state.group.group_coordinator import GroupCoordinator

        return GroupCoordinator(broker_id, host, log_host)

    return Coordinators("group coordinator", CONSUMER_OFFSETS, make, now_ms)
