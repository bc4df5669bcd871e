import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.streams_group import StreamsGroupState
from mockbroker.state.group.streams.topics.configured_topology import StatusCode
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.group.coordinator_building import coordinator_in
from tests.state.group.streams.streams_building import (
    REBALANCE_TIMEOUT_MS,
    Streams,
    cluster_of,
    group_in,
    tasks,
)

SESSION_MS = 45_000


def refusal(member: Streams, **fields: object) -> ErrorCode:
    with pytest.raises(ApiError) as refused:
        member.send(member.request(**fields))  # type: ignore[arg-type]
    return refused.value.code


def test_two_members_share_the_tasks() -> None:
    cluster = cluster_of(orders=2)
    one, two = Streams(cluster), Streams(cluster, "b")
    joined = one.join()
    assert joined.assigned is not None
    assert joined.assigned.active == {"0": {0: 2, 1: 2}}
    assert two.join().assigned is not None
    told = one.beat()
    assert told.assigned is not None
    assert told.assigned.without_epochs().active == tasks(0)
    assert told.member_epoch == 2
    assert one.beat(tasks(0)).member_epoch == 3
    shared = two.beat({})
    assert shared.assigned is not None
    assert shared.assigned.without_epochs().active == tasks(1)
    assert group_in(cluster).state is StreamsGroupState.STABLE


def test_a_member_that_leaves_gives_all_back() -> None:
    cluster = cluster_of(orders=2)
    one = Streams(cluster)
    one.join()
    one.leave()
    group = group_in(cluster)
    assert (group.state, group.target_epoch.assignment_epoch) == (StreamsGroupState.EMPTY, 3)
    assert refusal(one, member_epoch=2) is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_session_ends_without_heartbeats() -> None:
    cluster = cluster_of(orders=2)
    one, two = Streams(cluster), Streams(cluster, "b")
    one.join()
    two.join()
    two.beat({}, now_ms=1)
    cluster.advance_to(SESSION_MS)
    assert list(group_in(cluster).members) == ["b"]
    cluster.advance_to(SESSION_MS + 1)
    assert not group_in(cluster).members


def test_a_member_that_does_not_give_up_a_task_in_time_is_removed() -> None:
    cluster = cluster_of(orders=2)
    one, two = Streams(cluster), Streams(cluster, "b")
    one.join()
    two.join()
    one.beat(now_ms=100)
    cluster.advance_to(REBALANCE_TIMEOUT_MS + 99)
    assert "a" in group_in(cluster).members
    cluster.advance_to(REBALANCE_TIMEOUT_MS + 100)
    assert "a" not in group_in(cluster).members


def test_the_first_assignment_waits_for_more_members() -> None:
    cluster = cluster_of(orders=2, configs={"group.streams.initial.rebalance.delay.ms": "3000"})
    one, two = Streams(cluster), Streams(cluster, "b")
    joined = one.join()
    assert [status.code for status in joined.statuses] == [StatusCode.ASSIGNMENT_DELAYED]
    two.join()
    cluster.advance_to(3000)
    answers = [member.beat({}, now_ms=3000).assigned for member in (one, two)]
    assert [each and each.without_epochs().active for each in answers] == [tasks(1), tasks(0)]


def test_a_group_that_is_empty_again_gets_no_delayed_assignment() -> None:
    cluster = cluster_of(orders=2, configs={"group.streams.initial.rebalance.delay.ms": "3000"})
    one = Streams(cluster)
    one.join()
    one.leave()
    cluster.advance_to(3000)
    assert group_in(cluster).targets == {}
    assert group_in(cluster).first_assignment_ms is None


def test_a_static_member_returns_to_its_tasks() -> None:
    cluster = cluster_of(orders=2)
    one = Streams(cluster, instance_id="i")
    other = Streams(cluster, "b", instance_id="i", process="a")
    one.join()
    with pytest.raises(ApiError) as refused:
        other.join()
    assert refused.value.code is ErrorCode.UNRELEASED_INSTANCE_ID
    one.leave(-2)
    returned = other.join()
    assert returned.assigned is not None
    assert returned.assigned.active == {"0": {0: 0, 1: 0}}
    assert list(group_in(cluster).members) == ["b"]


def test_a_full_group_refuses_members() -> None:
    cluster = cluster_of(orders=2, configs={"group.streams.max.size": "1"})
    Streams(cluster).join()
    with pytest.raises(ApiError) as refused:
        Streams(cluster, "b").join()
    assert refused.value.code is ErrorCode.GROUP_MAX_SIZE_REACHED


def test_groups_of_other_kinds_and_missing_ones_are_not_found() -> None:
    cluster = cluster_of(orders=1)
    assert refusal(Streams(cluster), member_epoch=1) is ErrorCode.GROUP_ID_NOT_FOUND
    assert refusal(Streams(cluster), member_epoch=-1) is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_new_coordinator_loads_the_group() -> None:
    cluster = cluster_of(orders=2)
    one = Streams(cluster)
    one.join()
    before = group_in(cluster)
    coordinator = coordinator_in(cluster)
    coordinator.on_resignation(0)
    coordinator.on_election(0, 5)
    cluster.run_pending(100)
    after = group_in(cluster)
    assert after is not before
    assert after.members == before.members
    assert (after.metadata, after.targets, after.topology, after.target_epoch) == (
        before.metadata,
        before.targets,
        before.topology,
        before.target_epoch,
    )
    assert after.sessions_ms == {"a": SESSION_MS + 100}


def test_new_partitions_begin_an_epoch() -> None:
    cluster = cluster_of(orders=1)
    one = Streams(cluster)
    assert one.join().member_epoch == 2
    cluster.create_topic(NewTopic(name="unrelated", num_partitions=1, replication_factor=1))
    assert one.beat({}).member_epoch == 2
    cluster.delete_topic(cluster.topics.by_name["orders"])
    gone = one.beat({})
    assert [status.code for status in gone.statuses] == [StatusCode.MISSING_SOURCE_TOPICS]
    assert group_in(cluster).state is StreamsGroupState.NOT_READY
