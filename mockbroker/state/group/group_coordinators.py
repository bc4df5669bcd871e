"""Creation of the group coordinators of all brokers."""

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
    """Create a coordinator per broker for the partitions of `__consumer_offsets` it leads."""

    def make(broker_id: int) -> "GroupCoordinator":
        from mockbroker.state.group.group_coordinator import GroupCoordinator

        return GroupCoordinator(broker_id, host, log_host)

    return Coordinators("group coordinator", CONSUMER_OFFSETS, make, now_ms)
