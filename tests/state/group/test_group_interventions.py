"""Fencing and holding of members in groups of each kind."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_answers import Awaited, JoinResult
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group_interventions import fence_member, resume_rebalance
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.streams.streams_group_member import StreamsMemberState
from mockbroker.state.replication.leader_election import elect_leader
from tests.state.group.consumer import consumer_building
from tests.state.group.consumer.consumer_building import CONSUMERS, Consumer, share_orders
from tests.state.group.coordinator_building import coordinator_in, home_of
from tests.state.group.group_building import GROUP, join_request
from tests.state.group.share import share_building
from tests.state.group.share.share_building import SHARERS
from tests.state.group.streams import streams_building
from tests.state.group.streams.streams_building import APP, Streams, tasks


def fence(cluster: ClusterState, group_id: str, member_id: str) -> None:
    coordinator = coordinator_in(cluster)
    group = coordinator.groups.find(group_id)
    assert group is not None
    fence_member(coordinator, group, member_id, 0)


def join_classic(cluster: ClusterState, member_id: str = "") -> Awaited[JoinResult]:
    awaited = coordinator_in(cluster).membership.join(join_request(member_id), 0)
    cluster.advance_to(0)
    return awaited


def classic_group(cluster: ClusterState) -> ClassicGroup:
    found = coordinator_in(cluster).groups.find(GROUP)
    assert isinstance(found, ClassicGroup)
    return found


def state_of(cluster: ClusterState, member_id: str) -> MemberState:
    return consumer_building.group_in(cluster).members[member_id].current.state


def sharer_state(cluster: ClusterState, member_id: str) -> MemberState:
    return share_building.group_in(cluster).members[member_id].current.state


# Fencing


def test_a_fenced_consumer_is_unknown() -> None:
    cluster = consumer_building.cluster_of(orders=2)
    one, two = share_orders(cluster)
    fence(cluster, CONSUMERS, one.member_id)
    with pytest.raises(ApiError) as refused:
        one.beat()
    assert refused.value.code is ErrorCode.UNKNOWN_MEMBER_ID
    two.beat()
    assert two.assigned == {"orders": [0, 1]}


def test_a_fenced_member_of_a_streams_group_is_unknown() -> None:
    cluster = streams_building.cluster_of(orders=2)
    one = Streams(cluster)
    one.join()
    fence(cluster, APP, one.member_id)
    with pytest.raises(ApiError) as refused:
        one.beat()
    assert refused.value.code is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_fenced_member_of_a_classic_group_leaves_the_group_empty() -> None:
    cluster = consumer_building.cluster_of(orders=2)
    joined = join_classic(cluster).answer
    assert joined is not None
    fence(cluster, GROUP, joined.member_id)
    assert classic_group(cluster).state is GroupState.EMPTY


def test_only_a_member_is_fenced() -> None:
    cluster = consumer_building.cluster_of(orders=2)
    share_orders(cluster)
    with pytest.raises(LookupError, match="group 'consumers' has no member 'c'"):
        fence(cluster, CONSUMERS, "c")


# Holding


def test_consumers_keep_what_they_have_while_they_are_held() -> None:
    cluster = consumer_building.cluster_of(orders=2)
    one, two = Consumer(cluster), Consumer(cluster, "b")
    one.join()
    cluster.held_reconciliations.hold(CONSUMERS)
    assert two.join().member_epoch == 3
    assert two.assigned == {}
    assert one.beat({"orders": [0, 1]}).assigned is None
    group = consumer_building.group_in(cluster)
    assert group.target.assignment_epoch == 3
    assert [each.current.state for each in group.members.values()] == [
        MemberState.STABLE,
        MemberState.UNRELEASED_PARTITIONS,
    ]
    cluster.held_reconciliations.release(CONSUMERS)
    resume_rebalance(coordinator_in(cluster), group, 0)
    assert one.beat({"orders": [0, 1]}).assigned is not None
    one.beat(one.assigned)
    two.beat()
    assert len(one.assigned["orders"]) == len(two.assigned["orders"]) == 1


def test_a_held_consumer_takes_one_step() -> None:
    cluster = consumer_building.cluster_of(orders=2)
    one, two = Consumer(cluster), Consumer(cluster, "b")
    one.join()
    cluster.held_reconciliations.hold(CONSUMERS)
    two.join()
    cluster.held_reconciliations.allow_step(CONSUMERS, one.member_id)
    assert one.beat({"orders": [0, 1]}).assigned is not None
    members = consumer_building.group_in(cluster).members
    assert state_of(cluster, "a") is MemberState.UNREVOKED_PARTITIONS
    # What it was asked to give up, it may give up: its rebalance timeout does not end it.
    assert one.beat(one.assigned).member_epoch == 3
    assert state_of(cluster, "a") is MemberState.UNRELEASED_PARTITIONS
    cluster.advance_to(2 * consumer_building.REBALANCE_TIMEOUT_MS)
    assert list(members) == ["a", "b"]
    assert two.beat().assigned is None


def test_members_of_a_streams_group_are_held_and_step() -> None:
    cluster = streams_building.cluster_of(orders=2)
    one, two = Streams(cluster), Streams(cluster, "b")
    one.join()
    cluster.held_reconciliations.hold(APP)
    joined = two.join()
    assert (joined.member_epoch, joined.assigned) == (3, ({}, {}, {}))
    assert one.beat(tasks(0, 1)).assigned is None
    members = streams_building.group_in(cluster).members
    assert members["b"].state is StreamsMemberState.UNRELEASED_TASKS
    cluster.held_reconciliations.allow_step(APP, "a")
    assert one.beat(tasks(0, 1)).assigned is not None
    assert members["a"].state is StreamsMemberState.UNREVOKED_TASKS
    assert one.beat(tasks(0)).member_epoch == 3
    assert two.beat({}).assigned is None
    cluster.held_reconciliations.release(APP)
    told = two.beat({}).assigned
    assert told is not None
    assert told.without_epochs().active == tasks(1)


def test_a_held_rebalance_of_a_classic_group_completes_on_release() -> None:
    cluster = consumer_building.cluster_of(orders=2)
    cluster.held_reconciliations.hold(GROUP)
    joined = join_classic(cluster)
    assert joined.answer is None
    assert classic_group(cluster).state is GroupState.PREPARING_REBALANCE
    cluster.held_reconciliations.release(GROUP)
    resume_rebalance(coordinator_in(cluster), classic_group(cluster), 0)
    assert joined.answer is not None
    assert joined.answer.generation_id == 1
    resume_rebalance(coordinator_in(cluster), classic_group(cluster), 0)
    assert classic_group(cluster).state is GroupState.COMPLETING_REBALANCE


def test_a_hold_survives_an_election() -> None:
    cluster = consumer_building.cluster_of(orders=2, brokers=2)
    cluster.held_reconciliations.hold(CONSUMERS)
    assert "holds the members of group 'consumers' except []" in cluster.as_text()
    elect_leader(cluster, home_of(cluster), 2, now_ms=0)
    cluster.run_pending(0)
    one, two = Consumer(cluster), Consumer(cluster, "b")
    one.join()
    two.join()
    assert one.assigned == two.assigned == {}


# Share groups


def test_a_fenced_member_of_a_share_group_is_unknown() -> None:
    cluster = share_building.cluster_of(orders=2)
    one, two = share_building.joined(cluster), share_building.joined(cluster, "b")
    fence(cluster, SHARERS, one.member_id)
    with pytest.raises(ApiError) as refused:
        one.beat()
    assert refused.value.code is ErrorCode.UNKNOWN_MEMBER_ID
    two.beat()
    assert two.assigned == {"orders": [0, 1]}
    assert list(share_building.group_in(cluster).members) == ["b"]


def test_members_of_a_share_group_keep_what_they_have_while_they_are_held() -> None:
    cluster = share_building.cluster_of(orders=2)
    one = share_building.joined(cluster)
    cluster.held_reconciliations.hold(SHARERS)
    two = share_building.Sharer(cluster, "b")
    assert two.join().assigned == {}
    assert one.beat().assigned is None
    group = share_building.group_in(cluster)
    assert two.epoch == group.target.assignment_epoch == one.epoch + 1
    assert set(group.target.members) == {"a", "b"}
    assert two.beat().assigned is None
    assert sharer_state(cluster, "b") is MemberState.UNRELEASED_PARTITIONS
    cluster.held_reconciliations.allow_step(SHARERS, "b")
    two.beat()
    assert sharer_state(cluster, "b") is MemberState.STABLE
    assert len(two.assigned["orders"]) == 1
    assert one.beat().assigned is None
    cluster.held_reconciliations.release(SHARERS)
    one.beat()
    assert sorted(one.assigned["orders"] + two.assigned["orders"]) == [0, 1]


def test_a_held_member_of_a_share_group_that_joins_again_keeps_its_partitions() -> None:
    cluster = share_building.cluster_of(orders=2)
    one = share_building.joined(cluster)
    before = one.epoch
    cluster.held_reconciliations.hold(SHARERS)
    share_building.joined(cluster, "b")
    one.join()
    assert (one.epoch, one.assigned) == (before, {"orders": [0, 1]})
