import pytest

from tests.state.group.consumer.consumer_building import (
    Consumer,
    cluster_of,
    create,
    group_in,
    share_orders,
)


def test_an_epoch_begins_with_each_new_subscription() -> None:
    cluster = cluster_of(orders=2, bills=1)
    one = Consumer(cluster)
    one.join()
    assert one.beat(one.assigned).member_epoch == 2
    one.topics = ("orders", "bills")
    one.send(one.full(one.assigned))
    assert one.epoch == 3
    assert one.assigned == {"orders": [0, 1], "bills": [0]}
    one.topics = ("bills", "orders")
    one.send(one.full(one.assigned))
    assert one.epoch == 3


def test_an_unrelated_topic_begins_no_epoch() -> None:
    cluster = cluster_of(orders=2)
    one = Consumer(cluster)
    one.join()
    create(cluster, "bills", 1)
    assert one.beat().member_epoch == 2
    topic = cluster.topics.by_name["orders"]
    cluster.topics.changed(topic)
    assert one.beat().member_epoch == 2


def test_targets_are_computed_once_in_an_interval() -> None:
    cluster = cluster_of(orders=2, configs={"group.consumer.assignment.interval.ms": "1000"})
    one, two = Consumer(cluster), Consumer(cluster, "b")
    one.join(now_ms=10)
    two.join(now_ms=500)
    assert (two.epoch, two.assigned, group_in(cluster).epoch) == (2, {}, 3)
    two.beat(now_ms=1_009)
    assert group_in(cluster).target.epoch == 2
    two.beat(now_ms=1_010)
    assert group_in(cluster).target.epoch == 3


@pytest.mark.parametrize(("assignor", "partitions"), [("range", [0, 1]), ("uniform", [0, 1])])
def test_members_choose_the_assignor(assignor: str, partitions: list[int]) -> None:
    cluster = cluster_of(orders=3)
    one = Consumer(cluster, assignor=assignor)
    two = Consumer(cluster, "b", assignor=assignor)
    one.join()
    two.join()
    one.beat()
    assert one.assigned["orders"] == partitions


def test_another_preferred_assignor_begins_an_epoch() -> None:
    cluster = cluster_of(orders=3)
    one = Consumer(cluster)
    one.join()
    one.assignor = "uniform"
    one.send(one.full(one.assigned))
    assert one.epoch == 2
    one.assignor = "range"
    one.send(one.full(one.assigned))
    assert one.epoch == 3


def test_a_static_member_that_returns_begins_no_epoch() -> None:
    cluster = cluster_of(orders=2)
    one, two = share_orders(cluster)
    three = Consumer(cluster, "c", instance_id="i")
    three.join()
    epoch = group_in(cluster).epoch
    three.leave(-2)
    four = Consumer(cluster, "d", instance_id="i")
    four.join()
    assert group_in(cluster).epoch == epoch
    assert not group_in(cluster).target.of("c")
    assert {one.member_id, two.member_id, "d"} == set(group_in(cluster).members)
