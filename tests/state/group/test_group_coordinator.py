"""A broker's group coordinator."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.coordinator.log_records import BatchWriter
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group_administration import GroupFilters
from mockbroker.state.group.group_checks import Committer
from mockbroker.state.group.group_log_record import GroupLogRecord, GroupRecord, OffsetRecord
from mockbroker.state.group.topic_group_log import TopicGroupLog, WrittenRecords
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.group.coordinator_building import (
    ANYBODY,
    BILLS,
    GROUP,
    ORDERS,
    commit,
    committed,
    coordinating,
    coordinator_in,
    empty_group,
    end_transaction,
    home_of,
    offset,
    stable_group,
)
from tests.state.group.group_building import join_request

MEMBER = Committer("m-1", None, 1)


def written(cluster: ClusterState) -> list[GroupLogRecord]:
    return [
        record
        for batch in TopicGroupLog(1, cluster).read(0)
        if isinstance(batch, WrittenRecords)
        for record in batch.records
    ]


# Commits


def test_a_member_commits_for_its_generation() -> None:
    coordinator = coordinator_in(coordinating())
    stable_group(coordinator)
    coordinator.commit_offsets(GROUP, MEMBER, [offset(5)], 0)
    assert committed(coordinator) == 5


@pytest.mark.parametrize(
    ("committer", "code"),
    [
        (ANYBODY, ErrorCode.UNKNOWN_MEMBER_ID),
        (MEMBER._replace(member_id="m-2"), ErrorCode.UNKNOWN_MEMBER_ID),
        (MEMBER._replace(generation_id=2), ErrorCode.ILLEGAL_GENERATION),
        (MEMBER._replace(group_instance_id="i-1"), ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_other_clients_are_rejected_and_nothing_changes(
    committer: Committer, code: ErrorCode
) -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    stable_group(coordinator)
    before = cluster.as_text()
    with pytest.raises(ApiError) as refused:
        coordinator.commit_offsets(GROUP, committer, [offset(5)], 0)
    assert refused.value.code is code
    assert cluster.as_text() == before


def test_a_generation_of_an_unknown_group_is_rejected() -> None:
    coordinator = coordinator_in(coordinating())
    with pytest.raises(ApiError) as refused:
        coordinator.commit_offsets(
            GROUP, MEMBER, [offset(5)], 0, unknown_group=ErrorCode.GROUP_ID_NOT_FOUND
        )
    assert refused.value.code is ErrorCode.GROUP_ID_NOT_FOUND
    with pytest.raises(ApiError) as illegal:
        coordinator.check_transactional_commit(GROUP, MEMBER, 0)
    assert illegal.value.code is ErrorCode.ILLEGAL_GENERATION


def test_a_commit_renews_the_session() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    group = stable_group(coordinator)
    coordinator.membership.on_loaded(group, 0)
    cluster.advance_to(9_000)
    coordinator.commit_offsets(GROUP, MEMBER, [offset(5)], 9_000)
    cluster.advance_to(18_999)
    assert group.state is GroupState.STABLE
    cluster.advance_to(19_000)
    assert "m-1" not in group.members


def test_an_empty_commit_appends_nothing() -> None:
    cluster = coordinating()
    before = cluster.as_text()
    coordinator_in(cluster).commit_offsets(GROUP, ANYBODY, [], 0)
    assert cluster.as_text() == before


@pytest.mark.parametrize(
    ("committer", "code"),
    [
        (MEMBER._replace(member_id="m-2"), ErrorCode.UNKNOWN_MEMBER_ID),
        (MEMBER._replace(generation_id=2), ErrorCode.ILLEGAL_GENERATION),
        (Committer("", None, 2), ErrorCode.ILLEGAL_GENERATION),
    ],
)
@pytest.mark.parametrize("release", ["2.8", "4.4"])
def test_an_unknown_member_may_not_commit_in_a_transaction(
    release: str, committer: Committer, code: ErrorCode
) -> None:
    coordinator = coordinator_in(coordinating(release))
    stable_group(coordinator)
    coordinator.check_transactional_commit(GROUP, MEMBER, 0)
    coordinator.check_transactional_commit(GROUP, ANYBODY, 0)
    if committer.member_id == "" and release == "4.4":
        code = ErrorCode.UNKNOWN_MEMBER_ID
    with pytest.raises(ApiError) as refused:
        coordinator.check_transactional_commit(GROUP, committer, 0)
    assert refused.value.code is code


@pytest.mark.parametrize(("release", "is_made"), [("2.8", True), ("4.4", False)])
def test_a_rejected_commit_creates_a_group_in_some_releases(release: str, is_made: bool) -> None:
    cluster = coordinating(release)
    coordinator = coordinator_in(cluster)
    with pytest.raises(ApiError):
        coordinator.check_transactional_commit(GROUP, MEMBER, 0)
    assert (coordinator.groups.get(GROUP) is not None) is is_made
    cluster.advance_to(600_000)
    assert coordinator.groups.get(GROUP) is None


@pytest.mark.parametrize("is_commit", [True, False])
def test_a_transactions_offsets_take_effect_at_its_end(is_commit: bool) -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    coordinator.commit_transactional_offsets(GROUP, [offset(5)], BatchWriter(9, 0), 0, None)
    assert committed(coordinator) is None
    end_transaction(cluster, 9, is_commit=is_commit)
    assert committed(coordinator) == (5 if is_commit else None)


# Deletions


def test_offsets_of_subscribed_topics_cannot_be_deleted() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    stable_group(coordinator)
    coordinator.commit_offsets(GROUP, MEMBER, [offset(5), offset(6, BILLS)], 0)
    assert coordinator.delete_offsets(GROUP, [ORDERS, BILLS], 0) == {
        ORDERS: ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC,
        BILLS: ErrorCode.NONE,
    }
    assert (committed(coordinator), committed(coordinator, BILLS)) == (5, None)
    assert written(cluster)[-1] == OffsetRecord(GROUP, BILLS, None)


@pytest.mark.parametrize(("release", "stays"), [("2.4", False), ("3.9", False), ("4.4", True)])
def test_deleting_the_last_offset_may_delete_the_group(release: str, stays: bool) -> None:
    coordinator = coordinator_in(coordinating(release))
    commit(coordinator, offset(5))
    assert coordinator.delete_offsets(GROUP, [ORDERS, BILLS], 0) == {
        ORDERS: ErrorCode.NONE,
        BILLS: ErrorCode.NONE,
    }
    assert committed(coordinator) is None
    assert (coordinator.groups.get(GROUP) is not None) is stays


def test_deleting_from_an_unknown_group_is_rejected() -> None:
    coordinator = coordinator_in(coordinating())
    with pytest.raises(ApiError) as offsets:
        coordinator.delete_offsets(GROUP, [ORDERS], 0)
    with pytest.raises(ApiError) as group:
        coordinator.delete_group(GROUP, 0)
    assert offsets.value.code is group.value.code is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_group_with_members_is_not_deleted() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    stable_group(coordinator)
    before = cluster.as_text()
    with pytest.raises(ApiError) as refused:
        coordinator.delete_group(GROUP, 0)
    assert refused.value.code is ErrorCode.NON_EMPTY_GROUP
    assert cluster.as_text() == before


@pytest.mark.parametrize("release", ["2.4", "4.4"])
def test_a_group_is_deleted_with_its_offsets(release: str) -> None:
    cluster = coordinating(release)
    coordinator = coordinator_in(cluster)
    group = empty_group(coordinator)
    coordinator.groups.append(GROUP, [offset(5), offset(6, BILLS)], 0)
    coordinator.delete_group(GROUP, 0)
    assert group.state is GroupState.DEAD
    assert coordinator.groups.get(GROUP) is None
    assert written(cluster)[-3:] == [
        OffsetRecord(GROUP, ORDERS, None),
        OffsetRecord(GROUP, BILLS, None),
        GroupRecord(GROUP, None),
    ]


@pytest.mark.parametrize(("release", "has_tombstone"), [("2.4", False), ("4.4", True)])
def test_the_tombstone_of_a_group_without_members_depends_on_the_release(
    release: str, has_tombstone: bool
) -> None:
    cluster = coordinating(release)
    coordinator = coordinator_in(cluster)
    commit(coordinator, offset(5))
    coordinator.delete_group(GROUP, 0)
    assert (written(cluster)[-1] == GroupRecord(GROUP, None)) is has_tombstone
    assert OffsetRecord(GROUP, ORDERS, None) in written(cluster)


def test_offsets_of_a_deleted_topic_are_deleted_shortly_after_it() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    topic = cluster.create_topic(NewTopic(name="orders"))
    commit(coordinator, offset(5), offset(6, BILLS))
    cluster.delete_topic(topic)
    assert committed(coordinator) == 5
    assert cluster.run_pending(0) == ["ForgetOffsets orders"]
    assert (committed(coordinator), committed(coordinator, BILLS)) == (None, 6)


# Lists and descriptions


def test_groups_are_listed_and_described() -> None:
    coordinator = coordinator_in(coordinating())
    stable_group(coordinator)
    commit(coordinator, offset(5, group_id="simple"))
    assert [each.group_id for each in coordinator.list_groups(GroupFilters())] == [GROUP, "simple"]
    assert [each.group_id for each in coordinator.list_groups(GroupFilters(["Empty"]))] == [
        "simple"
    ]
    found = coordinator.describe_group(GROUP)
    assert found is not None
    assert found.state == "Stable"
    assert coordinator.describe_group("nobody") is None


# Elections


def test_groups_are_unknown_while_their_partition_is_loading() -> None:
    cluster = coordinating(brokers=2)
    home = home_of(cluster)
    old = coordinator_in(cluster)
    commit(old, offset(5))
    elect_leader(
        cluster, home, next(each for each in home.replicas if each != old.broker_id), now_ms=0
    )
    new = coordinator_in(cluster)
    assert new is not old
    for ask in (
        lambda: new.list_groups(GroupFilters()),
        lambda: new.describe_group(GROUP),
        lambda: new.offsets_of(GROUP),
    ):
        with pytest.raises(ApiError) as loading:
            ask()
        assert loading.value.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    with pytest.raises(ApiError) as moved:
        old.offsets_of(GROUP)
    assert moved.value.code is ErrorCode.NOT_COORDINATOR
    assert cluster.run_pending(0) == ["LoadGroups __consumer_offsets-0"]
    assert committed(new) == 5


def test_members_continue_with_the_new_coordinator_and_restart_their_sessions() -> None:
    cluster = coordinating(brokers=2)
    home = home_of(cluster)
    left_behind = stable_group(coordinator_in(cluster))
    elect_leader(
        cluster, home, next(each for each in home.replicas if each != home.leader_id), now_ms=0
    )
    assert left_behind.state is GroupState.DEAD
    cluster.run_pending(5_000)
    coordinator = coordinator_in(cluster)
    coordinator.commit_offsets(GROUP, MEMBER, [offset(5)], 5_000)
    group = coordinator.groups.get(GROUP)
    assert isinstance(group, ClassicGroup)
    cluster.advance_to(14_999)
    assert "m-1" in group.members
    cluster.advance_to(15_000)
    assert "m-1" not in group.members


def test_a_coordinator_without_its_topic_knows_no_groups() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    commit(coordinator, offset(5))
    cluster.delete_topic(cluster.topics.by_name["__consumer_offsets"])
    assert coordinator.groups.as_text() == []
    with pytest.raises(ApiError) as gone:
        coordinator.offsets_of(GROUP)
    assert gone.value.code is ErrorCode.NOT_COORDINATOR


# State as text


def a_life_of_groups(seed: int) -> str:
    """Let members join, commit and leave, move the coordinator, and return the state as text."""
    cluster = coordinating(brokers=2, seed=seed)
    coordinator = coordinator_in(cluster)
    for client_id in ("a", "b"):
        coordinator.membership.join(join_request(client_id=client_id), 0)
    cluster.advance_to(1_000)
    commit(coordinator, offset(5, group_id="simple"))
    coordinator.commit_transactional_offsets(
        "simple", [offset(6, BILLS, group_id="simple")], BatchWriter(9, 0), 0, None
    )
    home = home_of(cluster)
    elect_leader(
        cluster, home, next(each for each in home.replicas if each != home.leader_id), now_ms=0
    )
    cluster.run_pending(1_000)
    coordinator_in(cluster).membership.join(join_request(client_id="c"), 1_000)
    return cluster.as_text()


def test_the_same_steps_give_the_same_state() -> None:
    assert a_life_of_groups(5) == a_life_of_groups(5)
    assert a_life_of_groups(5) != a_life_of_groups(6)
