from tests.state.group.consumer.consumer_building import CONSUMERS, Consumer, cluster_of, id_of
from tests.state.group.coordinator_building import MINUTE_MS, coordinator_in, offset

WEEK_MS = 7 * 24 * 60 * MINUTE_MS
SWEEP_MS = 10 * MINUTE_MS


def test_a_group_without_members_and_offsets_ends_at_the_next_sweep() -> None:
    cluster = cluster_of(orders=1)
    one = Consumer(cluster)
    one.join()
    one.leave()
    cluster.advance_to(SWEEP_MS)
    assert coordinator_in(cluster).groups.get(CONSUMERS) is None


def test_the_offsets_of_an_empty_group_are_retained() -> None:
    cluster = cluster_of(orders=1)
    one = Consumer(cluster)
    one.join()
    one.leave()
    coordinator = coordinator_in(cluster)
    record = offset(5, group_id=CONSUMERS)
    assert record.value is not None
    value = record.value._replace(topic_id=id_of(cluster, "orders"))
    coordinator.groups.append(CONSUMERS, [record._replace(value=value)], 0)
    cluster.advance_to(WEEK_MS - SWEEP_MS)
    assert coordinator.groups.get(CONSUMERS) is not None
    cluster.advance_to(WEEK_MS + SWEEP_MS)
    assert coordinator.groups.get(CONSUMERS) is None


def test_offsets_of_subscribed_topics_do_not_expire() -> None:
    cluster = cluster_of(orders=1)
    one = Consumer(cluster)
    one.join()
    coordinator = coordinator_in(cluster)
    coordinator.groups.append(CONSUMERS, [offset(5, group_id=CONSUMERS)], 0)
    for now_ms in range(0, WEEK_MS + SWEEP_MS, 40_000_000):
        one.beat(now_ms=now_ms)
        cluster.advance_to(now_ms + 40_000)
    assert coordinator.offsets_of(CONSUMERS).all_committed(CONSUMERS)
