"""The cluster and the group store implement the protocols of group membership."""

from mockbroker.state.group.classic.group_host import GroupCoordinatorHost, GroupHost
from tests.state.cluster_building import new_cluster


def test_a_cluster_is_a_host() -> None:
    host: GroupHost = new_cluster(seed=3)
    assert host.seed == 3
    assert host.options.release == "4.4"
    assert host.configs.broker_integer("group.initial.rebalance.delay.ms", 1) == 0
    host.answered("somebody who waits")
    assert host.timers.next_deadline_ms() is not None


def test_the_cluster_has_all_that_a_coordinator_needs() -> None:
    cluster = new_cluster(brokers=1)
    host: GroupCoordinatorHost = cluster
    assert host.configs.broker_integer("offsets.retention.minutes", 1) == 10_080
    assert host.budget is cluster.budget
    assert host.records.read_subscribed_topics(b"\0\0\0\0\0\1\0\1a\xff\xff\xff\xff") == frozenset(
        "a"
    )
    ran: list[int] = []
    host.defer("work", ran.append)
    cluster.run_pending(7)
    assert ran == [7]
