import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.named_configs import GROUP as GROUP_RESOURCE
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import GroupChanged
from mockbroker.state.group.classic.group_answers import LeavingMember
from mockbroker.state.group.consumer.consumer_group import ConsumerGroupState
from mockbroker.state.group.consumer.member_timeouts import RETRY_MS
from mockbroker.state.group.group_checks import Committer
from mockbroker.state.topic.topic import CONSUMER_OFFSETS
from tests.state.group.consumer.consumer_building import (
    CONSUMERS,
    REBALANCE_TIMEOUT_MS,
    Consumer,
    cluster_of,
    create,
    group_in,
    share_orders,
)
from tests.state.group.coordinator_building import ANYBODY, coordinator_in, home_of, offset

SESSION_MS = 45_000


def code_of(consumer: Consumer, *, joins: bool = False) -> ErrorCode:
    send = consumer.join if joins else consumer.beat
    with pytest.raises(ApiError) as refused:
        send()
    return refused.value.code


def test_two_members_share_the_partitions() -> None:
    cluster = cluster_of(orders=2)
    one, two = share_orders(cluster)
    assert sorted([*one.assigned["orders"], *two.assigned["orders"]]) == [0, 1]
    assert group_in(cluster).state is ConsumerGroupState.STABLE


def test_a_partition_is_assigned_when_its_owner_has_revoked_it() -> None:
    cluster = cluster_of(orders=2)
    one, two = Consumer(cluster), Consumer(cluster, "b")
    one.join()
    two.join()
    assert two.assigned == {}
    one.beat()
    assert two.beat({}).assigned is None
    one.beat({"orders": [0, 1]})
    assert two.beat({}).assigned is None
    one.beat(one.assigned)
    assert two.beat({}).assigned
    assert group_in(cluster).state is ConsumerGroupState.STABLE


def test_a_member_that_leaves_gives_all_back() -> None:
    cluster = cluster_of(orders=2)
    one, two = share_orders(cluster)
    assert two.leave().member_epoch == -1
    assert group_in(cluster).state is ConsumerGroupState.ASSIGNING
    one.beat()
    assert one.assigned == {"orders": [0, 1]}


def test_a_session_ends_without_heartbeats() -> None:
    cluster = cluster_of(orders=2)
    one, two = share_orders(cluster)
    cluster.advance_to(SESSION_MS - 1)
    one.beat(now_ms=SESSION_MS - 1)
    cluster.advance_to(SESSION_MS)
    assert list(group_in(cluster).members) == ["a"]
    assert code_of(two) is ErrorCode.UNKNOWN_MEMBER_ID
    cluster.advance_to(3 * SESSION_MS)
    assert group_in(cluster).state is ConsumerGroupState.EMPTY
    assert group_in(cluster).target.assignment_epoch == group_in(cluster).group_epoch


def test_a_group_may_have_its_own_session_timeout() -> None:
    cluster = cluster_of(orders=2)
    cluster.configs.set_named_overrides(
        GROUP_RESOURCE, CONSUMERS, {"consumer.session.timeout.ms": "50000"}
    )
    Consumer(cluster).join()
    cluster.advance_to(SESSION_MS)
    assert group_in(cluster).members
    cluster.advance_to(50_000)
    assert not group_in(cluster).members


def test_a_member_that_does_not_revoke_in_time_is_removed() -> None:
    cluster = cluster_of(orders=2)
    one, two = Consumer(cluster), Consumer(cluster, "b")
    one.join()
    two.join()
    one.beat(now_ms=100)
    cluster.advance_to(REBALANCE_TIMEOUT_MS + 99)
    assert "a" in group_in(cluster).members
    cluster.advance_to(REBALANCE_TIMEOUT_MS + 100)
    assert "a" not in group_in(cluster).members


def test_a_member_that_has_revoked_stays() -> None:
    cluster = cluster_of(orders=2)
    one, _ = share_orders(cluster)
    cluster.advance_to(REBALANCE_TIMEOUT_MS)
    assert one.member_id in group_in(cluster).members


def test_a_timeout_is_tried_again_when_its_records_cannot_be_written() -> None:
    cluster = cluster_of(orders=2)
    Consumer(cluster).join()
    home = home_of(cluster)
    replicas, home.in_sync_replicas = home.in_sync_replicas, ()
    cluster.advance_to(SESSION_MS)
    assert group_in(cluster).members
    home.in_sync_replicas = replicas
    cluster.advance_to(SESSION_MS + RETRY_MS)
    assert not group_in(cluster).members


def test_a_new_coordinator_loads_the_group() -> None:
    cluster = cluster_of(orders=2)
    one, two = share_orders(cluster)
    before = group_in(cluster)
    coordinator = coordinator_in(cluster)
    coordinator.on_resignation(0)
    coordinator.on_election(0, 5)
    with pytest.raises(ApiError) as refused:
        one.beat()
    assert refused.value.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    cluster.run_pending(7)
    loaded = group_in(cluster)
    assert loaded is not before
    assert (loaded.members, loaded.group_epoch) == (before.members, before.group_epoch)
    assert (loaded.target.members, loaded.target.owners) == (
        before.target.members,
        before.target.owners,
    )
    assert loaded.sessions_ms == {"a": SESSION_MS + 7, "b": SESSION_MS + 7}
    assert two.beat(now_ms=7).assigned is None


def test_a_new_topic_begins_an_epoch() -> None:
    cluster = cluster_of()
    one = Consumer(cluster)
    one.join()
    assert (one.epoch, one.assigned) == (2, {})
    create(cluster, "others", 1)
    assert one.beat().member_epoch == 2
    create(cluster, "orders", 1)
    assert one.beat().member_epoch == 3
    assert one.assigned == {"orders": [0]}


def test_a_full_group_refuses_members() -> None:
    cluster = cluster_of(orders=2, configs={"group.consumer.max.size": "1"})
    Consumer(cluster, instance_id="i").join()
    assert code_of(Consumer(cluster, "b"), joins=True) is ErrorCode.GROUP_MAX_SIZE_REACHED
    held = Consumer(cluster, "b", instance_id="i")
    assert code_of(held, joins=True) is ErrorCode.UNRELEASED_INSTANCE_ID


def test_a_static_member_returns_to_its_partitions() -> None:
    cluster = cluster_of(orders=2)
    one = Consumer(cluster, instance_id="i")
    one.join()
    epoch = one.epoch
    assert one.leave(-2).member_epoch == -2
    two = Consumer(cluster, "b", instance_id="i")
    two.join()
    assert (two.epoch, two.assigned) == (epoch, {"orders": [0, 1]})
    assert code_of(one) is ErrorCode.FENCED_INSTANCE_ID
    assert list(group_in(cluster).members) == ["b"]


def test_a_group_that_does_not_exist_is_not_found() -> None:
    cluster = cluster_of(orders=1)
    one = Consumer(cluster)
    one.epoch = 1
    assert code_of(one) is ErrorCode.GROUP_ID_NOT_FOUND
    with pytest.raises(ApiError, match="Group consumers not found"):
        one.leave()


def test_a_group_takes_the_id_of_an_empty_classic_one() -> None:
    cluster = cluster_of(orders=1)
    coordinator = coordinator_in(cluster)
    coordinator.commit_offsets(CONSUMERS, ANYBODY, [offset(5, group_id=CONSUMERS)], 0)
    with pytest.raises(ApiError, match="is not a consumer group"):
        coordinator.consumers.known(CONSUMERS)
    Consumer(cluster).join()
    assert group_in(cluster).members
    assert coordinator.offsets_of(CONSUMERS).committed(CONSUMERS, TopicPartition("orders", 0))


def test_a_member_commits_in_its_epoch() -> None:
    cluster = cluster_of(orders=2)
    one, _ = share_orders(cluster)
    coordinator = coordinator_in(cluster)
    record = offset(5, group_id=CONSUMERS)
    coordinator.commit_offsets(CONSUMERS, Committer("a", None, one.epoch, 9), [record], 0)
    with pytest.raises(ApiError) as refused:
        coordinator.commit_offsets(CONSUMERS, Committer("a", None, one.epoch + 1, 9), [record], 0)
    assert refused.value.code is ErrorCode.STALE_MEMBER_EPOCH


@pytest.mark.parametrize(
    ("leaving", "code", "left"),
    [
        (LeavingMember("a"), ErrorCode.NONE, ["b"]),
        (LeavingMember("x"), ErrorCode.UNKNOWN_MEMBER_ID, ["a", "b"]),
        (LeavingMember("", "i"), ErrorCode.NONE, ["a"]),
        (LeavingMember("a", "i"), ErrorCode.FENCED_INSTANCE_ID, ["a", "b"]),
        (LeavingMember("", "j"), ErrorCode.UNKNOWN_MEMBER_ID, ["a", "b"]),
    ],
)
def test_members_leave_by_the_classic_request(
    leaving: LeavingMember, code: ErrorCode, left: list[str]
) -> None:
    cluster = cluster_of(orders=2)
    Consumer(cluster).join()
    Consumer(cluster, "b", instance_id="i").join()
    assert coordinator_in(cluster).classic_requests.leave(CONSUMERS, [leaving], 0) == [code]
    assert list(group_in(cluster).members) == left


def test_a_member_without_an_id_gets_one() -> None:
    cluster = cluster_of(orders=2)
    one = Consumer(cluster, "")
    first = one.join().member_id
    assert len(first) == 22
    assert one.join().member_id != first
    text = cluster.as_text()
    assert f"member {first}" in text
    assert CONSUMER_OFFSETS in text


def test_an_empty_group_is_deleted_with_its_records() -> None:
    cluster = cluster_of(orders=2)
    one = Consumer(cluster)
    one.join()
    coordinator = coordinator_in(cluster)
    with pytest.raises(ApiError) as refused:
        coordinator.delete_group(CONSUMERS, 0)
    assert refused.value.code is ErrorCode.NON_EMPTY_GROUP
    one.leave()
    coordinator.delete_group(CONSUMERS, 0)
    assert coordinator.groups.get(CONSUMERS) is None
    assert no_record_is_needed(cluster)


def no_record_is_needed(cluster: ClusterState) -> bool:
    return coordinator_in(cluster).groups.owner_of(CONSUMERS).first_record_offset() is None


def test_changes_of_a_group_are_reported() -> None:
    cluster = cluster_of(orders=2)
    changes: list[tuple[str, str, tuple[str, ...]]] = []

    def observe(event: object) -> None:
        if isinstance(event, GroupChanged):
            changes.append((event.before, event.after, event.members))

    cluster.observation.reporter = EventReporter(observe)
    one = Consumer(cluster)
    one.join()
    one.beat()
    two = Consumer(cluster, "b")
    two.join()
    two.leave()
    one.leave()
    coordinator_in(cluster).delete_group(CONSUMERS, 0)
    assert changes == [
        ("Empty", "Stable", ("a",)),
        ("Stable", "Reconciling", ("a", "b")),
        ("Reconciling", "Assigning", ("a",)),
        ("Assigning", "Empty", ()),
        ("Empty", "Dead", ()),
    ]
