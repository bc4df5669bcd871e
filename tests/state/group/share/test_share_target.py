from tests.state.group.share.share_building import Sharer, cluster_of, group_in, joined


def test_an_assignment_waits_for_its_interval() -> None:
    cluster = cluster_of(configs={"group.share.assignment.interval.ms": "2000"}, orders=1)
    one = Sharer(cluster)
    one.join(1)
    assert one.beat(1000).assigned is None
    assert group_in(cluster).group_epoch == 3
    assert group_in(cluster).target.assignment_epoch == 2
    one.beat(2001)
    assert one.assigned == {"orders": [0]}


def test_a_subscription_can_change() -> None:
    cluster = cluster_of(orders=1, bills=1)
    one = joined(cluster)
    one.topics = ("bills",)
    one.send(one.request(one.epoch, is_full=True))
    assert one.assigned == {}
    one.beat()
    assert one.assigned == {"bills": [0]}


def test_a_member_that_changes_before_the_interval_has_no_other_topics() -> None:
    cluster = cluster_of(configs={"group.share.assignment.interval.ms": "2000"}, orders=1)
    one = Sharer(cluster)
    one.join(1)
    one.beat(2001)
    one.topics = ("bills",)
    one.send(one.request(one.epoch, is_full=True), 2002)
    assert one.assigned == {}


def test_other_topics_do_not_begin_an_epoch() -> None:
    cluster = cluster_of(orders=1)
    one = joined(cluster)
    epoch = one.epoch
    joined(cluster, "b").leave()
    one.beat()
    assert one.epoch == epoch + 2
    cluster.topics.revision += 1
    one.beat()
    assert one.epoch == epoch + 2
    assert group_in(cluster).topics_revision == cluster.topics.revision
