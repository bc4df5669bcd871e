import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.modern.modern_records import TargetAssignmentRecord
from tests.state.group.consumer.consumer_building import (
    CONSUMERS,
    Consumer,
    cluster_of,
    create,
    group_in,
    id_of,
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
    assert (two.epoch, two.assigned, group_in(cluster).group_epoch) == (2, {}, 3)
    two.beat(now_ms=1_009)
    assert group_in(cluster).target.assignment_epoch == 2
    two.beat(now_ms=1_010)
    assert group_in(cluster).target.assignment_epoch == 3


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
    epoch = group_in(cluster).group_epoch
    three.leave(-2)
    four = Consumer(cluster, "d", instance_id="i")
    four.join()
    assert group_in(cluster).group_epoch == epoch
    assert not group_in(cluster).target.of("c")
    assert {one.member_id, two.member_id, "d"} == set(group_in(cluster).members)


def test_a_member_without_topics_takes_all_of_the_others_as_in_kafka() -> None:
    cluster = cluster_of(orders=2)
    one = Consumer(cluster, "z")
    two = Consumer(cluster, "b")
    one.join()
    two.join()
    two.leave()
    idle = Consumer(cluster, "a")
    idle.topics = ()
    idle.join()
    assert group_in(cluster).target.of("z") == {}
    assert one.beat(one.assigned).assigned == {}


def test_the_failure_of_an_assignor_of_3_9_is_an_unknown_server_error() -> None:
    cluster = cluster_of(release="3.9", orders=4, bills=2)
    for name, topics in ("b", ("orders", "bills")), ("c", ("orders", "bills")), ("d", ("bills",)):
        Consumer(cluster, name, *topics).join()
    group = group_in(cluster)
    orders, bills = id_of(cluster, "orders"), id_of(cluster, "bills")
    targets = {
        "b": {orders: frozenset({3})},
        "c": {orders: frozenset({0, 1, 2}), bills: frozenset({0, 1})},
        "d": {},
    }
    for member_id, target in targets.items():
        group.target.replay(TargetAssignmentRecord(group.kind, CONSUMERS, member_id, target))
    before = group.group_epoch
    with pytest.raises(ApiError, match=r"for epoch 4: Mismatch in partition movement") as refused:
        Consumer(cluster, "a", "bills").join()
    assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
    assert (group.group_epoch, list(group.members)) == (before, ["b", "c", "d"])
