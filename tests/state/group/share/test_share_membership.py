import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.named_configs import GROUP as GROUP_RESOURCE
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import GroupChanged
from mockbroker.state.group.group_administration import GroupFilters
from mockbroker.state.group.group_checks import Committer
from mockbroker.state.group.share.share_membership import RETRY_MS
from mockbroker.state.topic.topic import NO_LEADER, SHARE_GROUP_STATE
from tests.state.group.consumer.consumer_building import Consumer, create
from tests.state.group.coordinator_building import (
    ANYBODY,
    coordinator_in,
    home_of,
    offset,
)
from tests.state.group.share.share_building import (
    SHARERS,
    Sharer,
    add_partition,
    cluster_of,
    group_in,
    joined,
    state_of,
)

SESSION_MS = 45_000
RETRY_INTERVAL_MS = 30_000


def refusal_of(member: Sharer, epoch: int) -> ApiError:
    with pytest.raises(ApiError) as refused:
        member.send(member.request(epoch))
    return refused.value


def test_partitions_are_assigned_when_their_state_has_begun() -> None:
    cluster = cluster_of(orders=2)
    one = Sharer(cluster)
    assert one.join().assigned == {}
    assert state_of(cluster, "orders", 1) is not None
    one.beat()
    assert one.assigned == {"orders": [0, 1]}
    assert one.beat().assigned is None


def test_members_share_a_partition() -> None:
    cluster = cluster_of(orders=1)
    one, two = joined(cluster), joined(cluster, "b")
    assert one.beat().assigned is None
    assert one.assigned == two.assigned == {"orders": [0]}
    assert group_in(cluster).state_title == "Stable"


def test_a_new_partition_of_a_known_topic_begins_at_its_first_record() -> None:
    cluster = cluster_of(orders=1)
    one = joined(cluster)
    state = state_of(cluster, "orders")
    assert state is not None
    assert state.start_offset == -1
    add_partition(cluster, "orders")
    one.beat()
    state = state_of(cluster, "orders", 1)
    assert state is not None
    assert state.start_offset == 0
    one.beat()
    assert one.assigned == {"orders": [0, 1]}


def test_a_state_that_could_not_begin_is_tried_again() -> None:
    cluster = cluster_of(orders=1)
    joined(cluster).leave()
    for partition in cluster.topics.by_name[SHARE_GROUP_STATE].partitions:
        partition.leader_id = NO_LEADER
    create(cluster, "bills", 1)
    one = joined(cluster, "a", "bills")
    assert one.assigned == {}
    for partition in cluster.topics.by_name[SHARE_GROUP_STATE].partitions:
        partition.leader_id = 1
    one.beat()
    one.beat()
    assert one.assigned == {"bills": [0]}


def test_a_coordinator_that_was_lost_begins_again_after_an_interval() -> None:
    cluster = cluster_of(orders=1)
    one = Sharer(cluster)
    coordinator_in(cluster).shares.heartbeat(one.request(0, is_full=True), 0)
    cluster.pending.clear()
    one.epoch = 2
    one.beat(RETRY_INTERVAL_MS - 1)
    assert not group_in(cluster).known_state.initialized
    one.beat(RETRY_INTERVAL_MS)
    assert group_in(cluster).known_state.initialized
    one.beat(RETRY_INTERVAL_MS)
    assert one.assigned == {"orders": [0]}


def test_a_member_that_leaves_gives_its_part_back() -> None:
    cluster = cluster_of(orders=2)
    one, two = joined(cluster), joined(cluster, "b")
    one.beat()
    assert sorted([*one.assigned["orders"], *two.assigned["orders"]]) == [0, 1]
    assert two.leave().member_epoch == -1
    one.beat()
    assert one.assigned == {"orders": [0, 1]}
    one.leave()
    group = group_in(cluster)
    assert (group.state_title, group.target.assignment_epoch) == ("Empty", group.group_epoch)


def test_a_session_ends_without_heartbeats() -> None:
    cluster = cluster_of(orders=1)
    one, _ = joined(cluster), joined(cluster, "b")
    cluster.advance_to(SESSION_MS - 1)
    one.beat(SESSION_MS - 1)
    cluster.advance_to(SESSION_MS)
    assert list(group_in(cluster).members) == ["a"]
    cluster.advance_to(3 * SESSION_MS)
    assert group_in(cluster).is_empty


def test_a_group_may_have_its_own_session_timeout() -> None:
    cluster = cluster_of(orders=1)
    cluster.configs.set_named_overrides(
        GROUP_RESOURCE, SHARERS, {"share.session.timeout.ms": "50000"}
    )
    joined(cluster)
    cluster.advance_to(SESSION_MS)
    assert group_in(cluster).members
    cluster.advance_to(50_000)
    assert not group_in(cluster).members


def test_a_timeout_is_tried_again_when_its_records_cannot_be_written() -> None:
    cluster = cluster_of(orders=1)
    joined(cluster)
    home = home_of(cluster)
    replicas, home.in_sync_replicas = home.in_sync_replicas, ()
    cluster.advance_to(SESSION_MS)
    assert group_in(cluster).members
    home.in_sync_replicas = replicas
    cluster.advance_to(SESSION_MS + RETRY_MS)
    assert not group_in(cluster).members


def test_an_epoch_is_the_present_one_or_the_one_before() -> None:
    cluster = cluster_of(orders=1)
    one = joined(cluster)
    before = one.epoch - 1
    assert one.send(one.request(before)).member_epoch == before + 1
    assert "greater" in refusal_of(one, before + 2).why
    smaller = refusal_of(one, before - 1)
    assert smaller.code is ErrorCode.FENCED_MEMBER_EPOCH
    assert f"does not match the previous member epoch ({before})" in smaller.why


def test_unknown_groups_and_members_are_refused() -> None:
    cluster = cluster_of(orders=1)
    assert refusal_of(Sharer(cluster), 1).why == "Share group sharers not found."
    assert refusal_of(Sharer(cluster), -1).why == "Group sharers not found."
    joined(cluster)
    assert refusal_of(Sharer(cluster, "b"), 1).code is ErrorCode.UNKNOWN_MEMBER_ID
    assert refusal_of(Sharer(cluster, "b"), -1).code is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_group_has_a_maximum_size() -> None:
    cluster = cluster_of(configs={"group.share.max.size": "1"}, orders=1)
    one = joined(cluster)
    with pytest.raises(ApiError) as refused:
        Sharer(cluster, "b").join()
    assert refused.value.code is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert one.join().assigned


def test_a_group_id_belongs_to_one_kind_of_group() -> None:
    cluster = cluster_of(orders=1)
    Consumer(cluster).join()
    coordinator = coordinator_in(cluster)
    request = Sharer(cluster).request(0, is_full=True)._replace(group_id="consumers")
    with pytest.raises(ApiError) as refused:
        coordinator.shares.heartbeat(request, 0)
    assert refused.value.why == "Group consumers is not a share group."
    with pytest.raises(ApiError) as refused:
        coordinator.shares.known("consumers")
    assert refused.value.code is ErrorCode.GROUP_ID_NOT_FOUND
    joined(cluster).leave()
    with pytest.raises(ApiError) as refused:
        coordinator.commit_offsets(SHARERS, ANYBODY, [offset(1)], 0)
    assert refused.value.code is ErrorCode.GROUP_ID_NOT_FOUND
    with pytest.raises(ApiError) as refused:
        coordinator.check_transactional_commit(SHARERS, Committer("", None, -1), 0)
    assert refused.value.code is ErrorCode.GROUP_ID_NOT_FOUND
    with pytest.raises(ApiError) as refused:
        coordinator.delete_offsets(SHARERS, [], 0)
    assert refused.value.code is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_new_coordinator_loads_the_group_with_new_sessions() -> None:
    cluster = cluster_of(orders=2)
    joined(cluster)
    joined(cluster, "b")
    before = group_in(cluster)
    coordinator = coordinator_in(cluster)
    coordinator.on_election(0, 5)
    cluster.run_pending(10)
    group = group_in(cluster)
    assert group is not before
    assert (group.initializing_ms, group.sessions_ms) == (
        10,
        {"a": 10 + SESSION_MS, "b": 10 + SESSION_MS},
    )
    group.initializing_ms = before.initializing_ms
    group.sessions_ms.update(before.sessions_ms)
    assert group.as_text() == before.as_text()


def test_a_deleted_group_has_no_states() -> None:
    cluster = cluster_of(orders=1)
    joined(cluster)
    coordinator = coordinator_in(cluster)
    with pytest.raises(ApiError) as refused:
        coordinator.delete_group(SHARERS, 0)
    assert refused.value.code is ErrorCode.NON_EMPTY_GROUP
    Sharer(cluster).leave()
    coordinator.delete_group(SHARERS, 0)
    assert state_of(cluster, "orders") is None
    assert coordinator.list_groups(GroupFilters()) == []


def test_a_group_whose_states_cannot_be_deleted_stays() -> None:
    cluster = cluster_of(orders=1)
    joined(cluster).leave()
    partitions = cluster.topics.by_name[SHARE_GROUP_STATE].partitions
    for partition in partitions:
        partition.leader_id = NO_LEADER
    coordinator = coordinator_in(cluster)
    with pytest.raises(ApiError) as refused:
        coordinator.delete_group(SHARERS, 0)
    assert refused.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert list(group_in(cluster).known_state.deleting.values()) == ["orders"]
    for partition in partitions:
        partition.leader_id = 1
    coordinator.delete_group(SHARERS, 0)
    assert coordinator.groups.find(SHARERS) is None


def test_a_group_without_share_partitions_can_be_deleted() -> None:
    cluster = cluster_of()
    joined(cluster).leave()
    coordinator_in(cluster).delete_group(SHARERS, 0)
    assert coordinator_in(cluster).groups.find(SHARERS) is None


def test_an_empty_group_does_not_expire() -> None:
    cluster = cluster_of(orders=1)
    joined(cluster).leave()
    cluster.advance_to(8 * 24 * 3_600_000)
    assert group_in(cluster).is_empty


def test_a_deleted_topic_is_forgotten() -> None:
    cluster = cluster_of(orders=1, bills=1)
    one = joined(cluster, "a", "orders", "bills")
    cluster.delete_topic(cluster.topics.by_name["orders"])
    cluster.run_pending(0)
    assert [each.name for each in group_in(cluster).known_state.initialized.values()] == ["bills"]
    one.beat()
    assert one.assigned == {"bills": [0]}
    assert not cluster.pending


def test_changes_are_reported() -> None:
    cluster = cluster_of(orders=1)
    changes: list[tuple[str, str, tuple[str, ...]]] = []

    def observe(event: object) -> None:
        if isinstance(event, GroupChanged):
            changes.append((event.before, event.after, event.members))

    cluster.observation.reporter = EventReporter(observe)
    joined(cluster).leave()
    coordinator_in(cluster).delete_group(SHARERS, 0)
    assert changes == [
        ("Empty", "Stable", ("a",)),
        ("Stable", "Empty", ()),
        ("Empty", "Dead", ()),
    ]
