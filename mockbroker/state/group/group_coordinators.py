"""The coordinators of all brokers for groups."""

from collections.abc import Iterable

from mockbroker.state.coordinator_log import LogHost
from mockbroker.state.coordinators import Coordinators
from mockbroker.state.group.group_coordinator import GroupCoordinator
from mockbroker.state.group.group_coordinator_host import GroupCoordinatorHost
from mockbroker.state.topic.topic import CONSUMER_OFFSETS


def group_coordinators(
    broker_ids: Iterable[int], host: GroupCoordinatorHost, log_host: LogHost
) -> Coordinators[GroupCoordinator]:
    """Make a coordinator for each broker, which owns what it leads of `__consumer_offsets`."""
    return Coordinators(
        "group coordinator",
        CONSUMER_OFFSETS,
        {broker_id: GroupCoordinator(broker_id, host, log_host) for broker_id in broker_ids},
    )
