"""Rebalances: their deadlines, and the members that miss them."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.group.classic.group_rebalance import NEW_MEMBER_JOIN_TIMEOUT_MS
from mockbroker.state.group.classic.group_state import GroupState
from tests.state.group.group_building import (
    REBALANCE_TIMEOUT_MS,
    SESSION_TIMEOUT_MS,
    join_request,
)
from tests.state.group.membership_building import Groups, members

PREPARING, COMPLETING = GroupState.PREPARING_REBALANCE, GroupState.COMPLETING_REBALANCE
STABLE, EMPTY = GroupState.STABLE, GroupState.EMPTY
DELAY_MS = 3_000
DAY_MS = 24 * 60 * 60 * 1000


def state_of(groups: Groups) -> GroupState:
    """Read the state again: type checkers assume that a property is constant."""
    return groups.group.state


# The initial rebalance


def test_without_a_delay_the_first_generation_begins_when_the_timer_runs() -> None:
    groups = Groups()
    waiting = groups.ask(join_request())
    assert waiting.answer is None
    assert groups.host.timers.next_deadline_ms() == groups.now_ms
    groups.advance()
    assert waiting.answer is not None


def test_the_first_rebalance_waits_for_its_delay() -> None:
    groups = Groups(group_initial_rebalance_delay_ms=str(DELAY_MS))
    waiting = groups.ask(join_request())
    groups.advance(DELAY_MS - 1)
    assert waiting.answer is None
    groups.advance(1)
    assert waiting.answer is not None


def test_the_delay_restarts_while_members_join() -> None:
    groups = Groups(group_initial_rebalance_delay_ms=str(DELAY_MS))
    first = groups.ask(join_request())
    groups.advance(DELAY_MS - 1)
    second = groups.ask(join_request())
    groups.advance(1)
    assert first.answer is None
    groups.advance(DELAY_MS)
    assert first.answer is not None
    assert second.answer is not None
    assert first.answer.generation_id == second.answer.generation_id == 1
    assert len(first.answer.members) == 2


def test_the_delay_is_extended_up_to_the_rebalance_timeout() -> None:
    timeout_ms = 4 * DELAY_MS
    groups = Groups(group_initial_rebalance_delay_ms=str(DELAY_MS))
    first = groups.ask(join_request(rebalance_timeout_ms=timeout_ms))
    began_ms = groups.now_ms
    while first.answer is None:
        groups.ask(join_request(rebalance_timeout_ms=timeout_ms))
        groups.advance(DELAY_MS)
    assert groups.now_ms - began_ms == timeout_ms


@pytest.mark.parametrize(("release", "is_put_off"), [("4.4", True), ("3.9", False)])
def test_the_delay_of_a_later_generation_is_extended_in_some_releases(
    release: str, is_put_off: bool
) -> None:
    groups = Groups(release, group_initial_rebalance_delay_ms=str(DELAY_MS))
    groups.ask(join_request())
    groups.advance(DELAY_MS)
    groups.leave(*groups.group.members)
    assert state_of(groups) is EMPTY
    first = groups.ask(join_request())
    groups.ask(join_request())
    groups.advance(DELAY_MS)
    assert (first.answer is None) is is_put_off


@pytest.mark.parametrize(("release", "is_over"), [("4.4", True), ("3.9", False)])
def test_an_expired_pending_id_ends_the_delay_in_some_releases(release: str, is_over: bool) -> None:
    groups = Groups(
        release, group_initial_rebalance_delay_ms="9000", group_min_session_timeout_ms="1000"
    )
    groups.ask(join_request(must_have_member_id=True, session_timeout_ms=1000))
    waiting = groups.ask(join_request())
    groups.advance(1000)
    assert (waiting.answer is not None) is is_over


# Joining


def test_all_members_have_to_join_again() -> None:
    groups = Groups()
    leader, follower = groups.stable(*members(2))
    newcomer = groups.ask(join_request())
    assert state_of(groups) is PREPARING
    waiting = [groups.ask(join_request(each.member_id)) for each in (leader, follower)]
    answers = [each.answer for each in (newcomer, *waiting)]
    assert {answer.generation_id for answer in answers if answer is not None} == {3}
    assert [len(answer.members) for answer in answers if answer is not None] == [0, 3, 0]


def test_a_member_that_does_not_join_in_time_is_removed() -> None:
    groups = Groups()
    leader, follower = groups.stable(*members(2))
    waiting = groups.ask(join_request(leader.member_id))
    while groups.now_ms < 1000 + REBALANCE_TIMEOUT_MS - SESSION_TIMEOUT_MS:
        groups.advance(SESSION_TIMEOUT_MS // 2)
        assert groups.heartbeat(follower) is ErrorCode.REBALANCE_IN_PROGRESS
    assert waiting.answer is None
    groups.advance(SESSION_TIMEOUT_MS)
    assert waiting.answer is not None
    assert list(groups.group.members) == [leader.member_id]
    assert groups.heartbeat(follower) is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_member_without_heartbeats_is_removed_before_the_join_deadline() -> None:
    groups = Groups()
    leader, _ = groups.stable(*members(2))
    waiting = groups.ask(join_request(leader.member_id))
    groups.advance(SESSION_TIMEOUT_MS)
    assert waiting.answer is not None
    assert list(groups.group.members) == [leader.member_id]


def test_a_waiting_member_needs_no_heartbeats() -> None:
    groups = Groups()
    leader, follower = groups.stable(*members(2))
    waiting = groups.ask(join_request(leader.member_id))
    for _ in range(4):
        groups.advance(SESSION_TIMEOUT_MS - 1)
        groups.heartbeat(follower)
    assert waiting.answer is None
    assert leader.member_id in groups.group.members


@pytest.mark.parametrize(("release", "is_dropped"), [("2.3", True), ("4.4", True), ("1.1", False)])
def test_a_new_member_waits_at_most_five_minutes_in_some_releases(
    release: str, is_dropped: bool
) -> None:
    timeout_ms = 2 * NEW_MEMBER_JOIN_TIMEOUT_MS
    groups = Groups(release)
    (leader,) = groups.stable(join_request(rebalance_timeout_ms=timeout_ms))
    newcomer = groups.ask(join_request())
    until_ms = groups.now_ms + NEW_MEMBER_JOIN_TIMEOUT_MS
    while groups.now_ms < until_ms:
        assert newcomer.answer is None
        groups.advance(5_000)
        groups.heartbeat(leader)
    assert (newcomer.answer is not None) is is_dropped
    if newcomer.answer is not None:
        assert newcomer.answer.code is ErrorCode.UNKNOWN_MEMBER_ID


def test_another_member_leads_when_the_leader_does_not_join() -> None:
    groups = Groups()
    _, follower = groups.stable(*members(2))
    waiting = groups.ask(join_request(follower.member_id, metadata=b"changed"))
    groups.advance(SESSION_TIMEOUT_MS)
    assert waiting.answer is not None
    assert waiting.answer.leader_id == follower.member_id
    assert [each.metadata for each in waiting.answer.members] == [b"changed"]


def test_only_the_last_of_two_requests_of_a_member_is_answered() -> None:
    groups = Groups()
    leader, follower = groups.stable(*members(2))
    first = groups.ask(join_request(leader.member_id))
    second = groups.ask(join_request(leader.member_id))
    groups.ask(join_request(follower.member_id))
    assert first.answer is None
    assert second.answer is not None


# Static members


def test_static_members_are_not_removed_for_joining_late() -> None:
    groups = Groups()
    one, other = groups.stable(join_request(instance="i"), join_request(instance="j"))
    waiting = groups.ask(join_request(one.member_id, instance="i", rebalance_timeout_ms=5_000))
    groups.group.members[other.member_id].rebalance_timeout_ms = 5_000
    groups.advance(1)
    groups.group.join_deadline_ms = groups.now_ms + 5_000
    groups.heartbeat(other, instance="j")
    groups.advance(5_000)
    assert waiting.answer is None
    assert set(groups.group.members) == {one.member_id, other.member_id}


def test_a_rebalance_without_joined_members_waits_until_static_sessions_expire() -> None:
    groups = Groups()
    groups.stable(
        join_request(instance="i", rebalance_timeout_ms=1_000),
        join_request(instance="j", rebalance_timeout_ms=1_000),
        join_request(client_id="c", rebalance_timeout_ms=1_000),
    )
    dynamic = next(iter(set(groups.group.members) - set(groups.group.static_members.values())))
    groups.leave(dynamic)
    groups.advance(1_000)
    assert state_of(groups) is PREPARING
    assert len(groups.group.members) == 2
    groups.advance(SESSION_TIMEOUT_MS)
    assert state_of(groups) is EMPTY


# Missing assignments


def test_a_member_that_never_syncs_is_removed() -> None:
    groups = Groups()
    leader, follower = groups.gather(*members(2))
    waiting = groups.sync(follower)
    for _ in range(7):
        groups.advance(SESSION_TIMEOUT_MS - 1)
        groups.heartbeat(leader)
    assert list(groups.group.members) == [follower.member_id]
    assert waiting.answer is not None
    assert waiting.answer.code is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_silent_member_before_its_assignment_is_removed_with_its_session() -> None:
    groups = Groups()
    _, follower = groups.gather(*members(2))
    waiting = groups.sync(follower)
    groups.advance(SESSION_TIMEOUT_MS)
    assert waiting.answer is not None
    assert waiting.answer.code is ErrorCode.REBALANCE_IN_PROGRESS
    assert state_of(groups) is PREPARING


def test_older_releases_wait_for_a_live_leader_that_does_not_assign() -> None:
    groups = Groups("2.4")
    leader, follower = groups.gather(*members(2))
    groups.sync(follower)
    groups.advance(SESSION_TIMEOUT_MS - 1)
    groups.heartbeat(leader)
    assert groups.group.sync_deadline_ms is None


def test_a_late_sync_gets_its_assignment_and_ends_the_deadline() -> None:
    groups = Groups()
    leader, follower = groups.gather(*members(2))
    groups.sync(leader, {follower.member_id: b"yours"})
    assert state_of(groups) is STABLE
    assert groups.group.sync_deadline_ms is not None
    answer = groups.sync(follower).answer
    assert answer is not None
    assert answer.assignment == b"yours"
    assert groups.group.sync_deadline_ms is None


def test_a_stable_group_removes_members_that_never_synced() -> None:
    groups = Groups()
    leader, follower = groups.gather(*members(2))
    groups.sync(leader, {})
    for _ in range(7):
        groups.advance(SESSION_TIMEOUT_MS - 1)
        for each in (leader, follower):
            groups.heartbeat(each)
    assert state_of(groups) is PREPARING
    assert list(groups.group.members) == [leader.member_id]


def test_a_rebalance_cancels_pending_assignments() -> None:
    groups = Groups()
    _, follower = groups.gather(*members(2))
    waiting = groups.sync(follower)
    groups.ask(join_request())
    assert waiting.answer is not None
    assert waiting.answer.code is ErrorCode.REBALANCE_IN_PROGRESS
    assert not groups.group.pending_sync_members


# Time


def test_a_jump_over_a_day_ends_all_sessions_in_order() -> None:
    groups = Groups()
    groups.stable(
        *(
            join_request(client_id=name, session_timeout_ms=timeout_ms)
            for name, timeout_ms in (("a", 9_000), ("b", 7_000), ("c", 8_000))
        )
    )
    began_ms = groups.now_ms
    groups.advance(DAY_MS)
    assert state_of(groups) is EMPTY
    assert groups.group.current_state_timestamp_ms == began_ms + 9_000
    assert groups.group.generation_id == 3
    assert groups.host.timers.next_deadline_ms() is None


def test_deadlines_of_a_removed_group_have_no_effect() -> None:
    groups = Groups()
    groups.stable(join_request())
    groups.store.remove(groups.group)
    groups.advance(DAY_MS)
    assert not groups.store.groups


def test_a_failed_append_does_not_prevent_an_empty_group() -> None:
    groups = Groups()
    (member,) = groups.stable(join_request())
    groups.store.append_refusals.append(ErrorCode.NOT_COORDINATOR)
    assert groups.leave(member.member_id) == [ErrorCode.NONE]
    assert state_of(groups) is EMPTY
