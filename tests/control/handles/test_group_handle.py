"""Inspection of groups in a running cluster, and interventions in them."""

import pytest

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from tests.support.consumer_members import AT_ONCE, GROUP, ConsumerMember, two_members
from tests.support.group_members import group_of_one
from tests.support.share_members import AT_ONCE as SHARED_AT_ONCE
from tests.support.share_members import SHARERS, joined
from tests.support.wire import broker_client

ALL = (("orders", 0), ("orders", 1))


def test_a_group_handle_shows_the_coordinators_state() -> None:
    with Cluster(topics={"orders": 2}, config=AT_ONCE) as cluster:
        group = cluster.group(GROUP)
        assert repr(group).startswith("<GroupHandle 'readers': ")
        with pytest.raises(LookupError, match="no coordinator yet"):
            _ = group.state
        two_members(cluster)
        assert (group.kind, group.state, group.coordinator) == ("consumer", "Stable", 1)
        assert (group.group_epoch, group.assignment_epoch, group.is_held) == (3, 3, False)
        assert sorted(each.assigned for each in group.members.values()) == [ALL[:1], ALL[1:]]
        assert group.offsets == {}
        with pytest.raises(LookupError, match="no coordinator knows group 'others'"):
            _ = cluster.group("others").members


def test_a_fenced_member_gets_unknown_member_id() -> None:
    with Cluster(topics={"orders": 2}, config=AT_ONCE, journal=True) as cluster:
        one, two = two_members(cluster)
        group = cluster.group(GROUP)
        group.fence(one.member_id)
        assert list(group.members) == ["b"]
        assert one.beat() is ErrorCode.UNKNOWN_MEMBER_ID
        two.beat()
        assert two.owned == [0, 1]
        (noted,) = cluster.journal.find(kind="event")
        assert '"member_id":"a"' in (noted.detail or "")
        with pytest.raises(LookupError, match="no member 'a'"):
            group.fence(one.member_id)


def test_a_rebalance_begins_an_epoch_of_the_consumer_protocol() -> None:
    with Cluster(topics={"orders": 2}, config=AT_ONCE) as cluster:
        one, two = two_members(cluster)
        group = cluster.group(GROUP)
        before = one.epoch
        group.rebalance()
        for member in (one, two):
            assert member.beat() is ErrorCode.NONE
        assert (one.epoch, two.epoch, group.assignment_epoch) == (before + 1,) * 3
        one.leave()
        two.leave()
        with pytest.raises(ValueError, match="no members"):
            group.rebalance()


def test_members_are_told_of_new_assignments_when_they_are_released() -> None:
    with Cluster(topics={"orders": 2}, config=AT_ONCE) as cluster:
        group = cluster.group(GROUP)
        group.hold_reconciliation()
        one, two = ConsumerMember(cluster, "a"), ConsumerMember(cluster, "b")
        one.join()
        one.beat()
        assert (one.owned, group.is_held) == ([], True)
        assert group.members["a"].target == ALL
        group.step("a")
        one.beat()
        assert one.owned == [0, 1]
        two.join()
        one.beat()
        assert group.state == "Reconciling"
        assert group.members["a"].assigned == ALL
        assert group.members["b"].state == "UNRELEASED_PARTITIONS"
        group.release()
        for member in (one, one, two):
            member.beat()
        assert sorted(one.owned + two.owned) == [0, 1]
        assert (group.state, group.is_held) == ("Stable", False)


def test_nothing_waits_of_a_group_without_dead_letters() -> None:
    with Cluster() as cluster:
        group = cluster.group(GROUP)
        group.hold_dead_letters()
        assert group.step_dead_letters() is None
        group.release_dead_letters()


def test_a_step_is_of_a_member_of_a_held_group() -> None:
    with Cluster(topics={"orders": 2}, config=AT_ONCE) as cluster:
        two_members(cluster)
        group = cluster.group(GROUP)
        with pytest.raises(ValueError, match="group 'readers' is not held"):
            group.step("a")
        with pytest.raises(LookupError, match="no member 'c'"):
            group.step("c")


def test_a_hold_survives_a_move_of_the_coordinator() -> None:
    with Cluster(brokers=3, topics={"orders": 2}, config=AT_ONCE) as cluster:
        one, two = two_members(cluster)
        group = cluster.group(GROUP)
        before, members = group.coordinator, group.members
        group.hold_reconciliation()
        moved_to = group.move_coordinator()
        assert group.coordinator == moved_to != before
        assert group.members == members
        two.leave()
        one.beat()
        assert (group.state, len(one.owned)) == ("Reconciling", 1)
        assert group.move_coordinator(before) == before
        group.release()
        one.beat()
        assert one.owned == [0, 1]


def test_a_classic_group_is_inspected_and_its_rebalance_held() -> None:
    with (
        Cluster(config={"group.initial.rebalance.delay.ms": "0"}) as cluster,
        broker_client(cluster, 1) as client,
    ):
        member_id = group_of_one(client)
        group = cluster.group(GROUP)
        assert (group.kind, list(group.members)) == ("classic", [member_id])
        group.hold_reconciliation()
        with pytest.raises(ValueError, match="step together"):
            group.step(member_id)
        group.release()
        group.rebalance()
        assert (group.state, list(group.members)) == ("PreparingRebalance", [member_id])
        group.rebalance()
        group.fence(member_id)
        assert (group.state, group.members) == ("Empty", {})


# Share groups


def test_a_share_group_does_not_rebalance() -> None:
    with (
        Cluster(topics={"orders": 2}, config=SHARED_AT_ONCE) as cluster,
        joined(cluster),
        pytest.raises(ValueError, match="share group: fence a member"),
    ):
        cluster.group(SHARERS).rebalance()


def test_a_fenced_member_of_a_share_group_joins_again() -> None:
    with Cluster(topics={"orders": 2}, config=SHARED_AT_ONCE) as cluster, joined(cluster) as one:
        group = cluster.group(SHARERS)
        assert (group.kind, group.state, group.members["a"].assigned) == ("share", "Stable", ALL)
        group.fence("a")
        assert (group.state, group.members) == ("Empty", {})
        assert one.beat() is ErrorCode.UNKNOWN_MEMBER_ID
        assert one.join() is ErrorCode.NONE
        assert group.members["a"].assigned == ALL


def test_a_member_of_a_held_share_group_gets_its_partitions_step_by_step() -> None:
    with (
        Cluster(topics={"orders": 2}, config=SHARED_AT_ONCE) as cluster,
        joined(cluster) as one,
    ):
        group = cluster.group(SHARERS)
        group.hold_reconciliation()
        with joined(cluster, "b") as two:
            one.beat()
            assert (group.members["a"].assigned, group.members["b"].assigned) == (ALL, ())
            assert group.assignment_epoch > group.members["a"].member_epoch
            group.step("b")
            two.beat()
            assert group.members["b"].assigned == group.members["b"].target != ()
            group.release()
            one.beat()
            assert sorted(one.assigned + two.assigned) == [0, 1]
