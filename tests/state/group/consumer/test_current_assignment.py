from collections.abc import Collection
from uuid import UUID

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.consumer.current_assignment import (
    Reconciliation,
    held_back,
    reconcile,
)
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import CurrentAssignment, Partitions
from mockbroker.state.release.group_options import CONSUMER_GROUPS_OF_3_9, ConsumerGroupOptions

TOPIC, OTHER = UUID(int=100), UUID(int=200)
STABLE, UNREVOKED = MemberState.STABLE, MemberState.UNREVOKED_PARTITIONS
UNRELEASED = MemberState.UNRELEASED_PARTITIONS
OF_4_4 = ConsumerGroupOptions()


def about(
    target: Collection[int] = (),
    *,
    epoch: int = 3,
    owned: Partitions | None = None,
    taken: Collection[int] = (),
    changed: bool = False,
    subscribed: Collection[UUID] = (TOPIC,),
    options: ConsumerGroupOptions = OF_4_4,
) -> Reconciliation:
    return Reconciliation(
        epoch,
        {TOPIC: frozenset(target)},
        subscribed,
        changed,
        lambda topic_id, partition: topic_id == TOPIC and partition in taken,
        owned,
        options,
    )


def at(epoch: int, *partitions: int) -> CurrentAssignment:
    return CurrentAssignment(epoch, epoch - 1, STABLE, {TOPIC: dict.fromkeys(partitions, epoch)})


def test_a_stable_member_stays_as_it_is() -> None:
    member = at(3, 0)
    assert reconcile(member, about([0])) is member
    assert reconcile(member, about([0], changed=True)) is member


def test_new_partitions_are_assigned_in_the_target_epoch() -> None:
    found = reconcile(at(2, 0), about([0, 1]))
    assert found == CurrentAssignment(3, 2, STABLE, {TOPIC: {0: 2, 1: 3}})


def test_partitions_of_others_are_waited_for() -> None:
    found = reconcile(at(2, 0), about([0, 1], taken=[0, 1]))
    assert found == CurrentAssignment(3, 2, UNRELEASED, {TOPIC: {0: 2}})
    found = reconcile(found, about([0, 1], taken=[0, 1]))
    assert found.state is UNRELEASED
    assert reconcile(found, about([0, 1], taken=[0])).state is STABLE


def test_partitions_are_revoked_before_the_epoch_advances() -> None:
    found = reconcile(at(2, 0, 1), about([0, 2]))
    assert found == CurrentAssignment(2, 2, UNREVOKED, {TOPIC: {0: 2}}, {TOPIC: {1: 2}})
    assert reconcile(found, about([0, 2])) is found
    assert reconcile(found, about([0, 2], owned={TOPIC: frozenset({0, 1})})) is found
    after = reconcile(found, about([0, 2], owned={TOPIC: frozenset({0})}))
    assert after == CurrentAssignment(3, 2, STABLE, {TOPIC: {0: 2, 2: 3}})


def test_a_member_that_owns_nothing_revokes_nothing() -> None:
    found = reconcile(at(2, 0, 1), about([0], owned={}))
    assert found == CurrentAssignment(3, 2, STABLE, {TOPIC: {0: 2}})


def test_partitions_being_revoked_may_be_assigned_again() -> None:
    revoking = CurrentAssignment(2, 2, UNREVOKED, {TOPIC: {0: 2}}, {TOPIC: {1: 2}})
    found = reconcile(revoking, about([0, 1], taken=[0, 1], owned={TOPIC: frozenset({0})}))
    assert found == CurrentAssignment(3, 2, STABLE, {TOPIC: {0: 2, 1: 3}})


def test_topics_without_a_subscription_are_revoked_at_once() -> None:
    change = about([0], changed=True, subscribed=())
    found = reconcile(at(3, 0), change)
    assert (found.state, found.pending_revocation) == (UNREVOKED, {TOPIC: {0: 3}})
    assert found.assigned == {}
    released = reconcile(at(3, 0), change._replace(owned={}))
    assert (released.state, released.assigned) == (STABLE, {})
    revoking = CurrentAssignment(2, 2, UNREVOKED, {TOPIC: {0: 2}}, {OTHER: {1: 2}, TOPIC: {1: 2}})
    found = reconcile(revoking, change)
    assert found.pending_revocation == {OTHER: {1: 2}, TOPIC: {0: 2, 1: 2}}


def test_targets_without_a_subscription_are_not_assigned() -> None:
    assert reconcile(at(2, 0), about([1], subscribed=(), owned={})).assigned == {}


def test_a_member_in_a_state_of_a_later_release_starts_anew() -> None:
    unknown = at(2, 0)._replace(state=MemberState(9))
    assert unknown.state is MemberState.UNKNOWN
    for owned in (None, {TOPIC: frozenset({0})}):
        with pytest.raises(ApiError) as refused:
            reconcile(unknown, about([0], owned=owned))
        assert refused.value.code is ErrorCode.FENCED_MEMBER_EPOCH
    assert reconcile(unknown, about([0], owned={})) == CurrentAssignment(
        3, 2, STABLE, {TOPIC: {0: 2}}
    )


def test_a_held_member_stays_unless_it_joins_or_has_revoked() -> None:
    assert held_back(at(2, 0), 3, None) == at(2, 0)
    joining = CurrentAssignment()
    assert held_back(joining, 3, {}) == CurrentAssignment(3, 0, UNRELEASED, {})
    revoking = at(2, 0)._replace(state=UNREVOKED, pending_revocation={TOPIC: {1: 2}})
    assert held_back(revoking, 3, None) == revoking
    assert held_back(revoking, 3, {TOPIC: frozenset({0, 1})}) == revoking
    after = held_back(revoking, 3, {TOPIC: frozenset({0})})
    assert after == CurrentAssignment(3, 2, UNRELEASED, {TOPIC: {0: 2}})


def test_in_3_9_the_epoch_rises_with_each_further_revocation() -> None:
    revoking = CurrentAssignment(2, 2, UNREVOKED, {TOPIC: {0: 2, 1: 2}}, {TOPIC: {2: 2}})
    further = about([0], epoch=4, owned={TOPIC: frozenset({0, 1})})
    assert reconcile(revoking, further).member_epoch == 2
    found = reconcile(revoking, further._replace(options=CONSUMER_GROUPS_OF_3_9))
    assert (found.member_epoch, found.pending_revocation) == (3, {TOPIC: {1: 2}})


def test_in_3_9_unsubscribed_topics_wait_for_the_first_revocation() -> None:
    revoking = CurrentAssignment(2, 2, UNREVOKED, {TOPIC: {0: 2}}, {TOPIC: {1: 2}})
    change = about([0], changed=True, subscribed=())
    assert reconcile(revoking, change).assigned == {}
    assert reconcile(revoking, change._replace(options=CONSUMER_GROUPS_OF_3_9)) is revoking


def test_in_3_9_revoked_partitions_come_back_once_they_are_released() -> None:
    revoking = CurrentAssignment(2, 2, UNREVOKED, {TOPIC: {0: 2}}, {TOPIC: {1: 2}})
    back = about([0, 1], taken=[0, 1], owned={TOPIC: frozenset({0})})
    found = reconcile(revoking, back._replace(options=CONSUMER_GROUPS_OF_3_9))
    assert (found.state, found.assigned) == (UNRELEASED, {TOPIC: {0: 2}})
