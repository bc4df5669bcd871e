"""The cluster and the group store implement the protocols of group membership."""

from mockbroker.state.group.classic.group_host import GroupHost
from tests.state.cluster_building import new_cluster


def test_a_cluster_is_a_host() -> None:
    host: GroupHost = new_cluster(seed=3)
    assert host.seed == 3
    assert host.options.release == "4.4"
    assert host.configs.broker_integer("group.initial.rebalance.delay.ms", 1) == 0
    host.answered("somebody who waits")
    assert host.timers.next_deadline_ms() is not None
