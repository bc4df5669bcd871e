"""The cluster implements the group coordinators' host protocol."""

from mockbroker.state.group.group_coordinator_host import GroupCoordinatorHost
from tests.state.cluster_building import new_cluster


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
