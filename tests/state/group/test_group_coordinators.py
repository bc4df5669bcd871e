"""The group coordinators of all brokers."""

from mockbroker.state.group.group_coordinators import group_coordinators
from tests.state.group.coordinator_building import (
    GROUP,
    commit,
    coordinating,
    coordinator_in,
    offset,
)


def test_each_broker_has_one() -> None:
    cluster = coordinating(brokers=2)
    coordinators = group_coordinators(cluster, cluster, now_ms=0)
    assert [coordinators[broker_id].broker_id for broker_id in cluster.brokers] == [1, 2]


def test_their_text_is_part_of_the_clusters() -> None:
    cluster = coordinating()
    commit(coordinator_in(cluster), offset(5))
    assert f"\ngroup coordinator 1: group {GROUP} " in cluster.as_text()
