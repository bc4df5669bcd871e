"""From one generation to the next: who is waited for, how long, and what becomes of the others."""

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
    """Ask anew: type checkers remember what a property was."""
    return groups.group.state


# The first rebalance


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


def test_the_delay_begins_anew_while_members_come() -> None:
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


def test_the_delay_is_put_off_up_to_the_rebalance_timeout() -> None:
    timeout_ms = 4 * DELAY_MS
    groups = Groups(group_initial_rebalance_delay_ms=str(DELAY_MS))
    first = groups.ask(join_request(rebalance_timeout_ms=timeout_ms))
    began_ms = groups.now_ms
    while first.answer is None:
        groups.ask(join_request(rebalance_timeout_ms=timeout_ms))
        groups.advance(DELAY_MS)
    assert groups.now_ms - began_ms == timeout_ms


@pytest.mark.parametrize(("release", "is_put_off"), [("4.4", True), ("3.9", False)])
def test_the_delay_of_a_later_generation_grows_where_releases_let_it(
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
def test_an_id_that_expires_ends_the_delay_where_releases_let_it(
    release: str, is_over: bool
) -> None:
    groups = Groups(
        release, group_initial_rebalance_delay_ms="9000", group_min_session_timeout_ms="1000"
    )
    groups.ask(join_request(must_have_member_id=True, session_timeout_ms=1000))
    waiting = groups.ask(join_request())
    groups.advance(1000)
    assert (waiting.answer is not None) is is_over


# Everybody joins, or not


def test_all_members_have_to_join_again() -> None:
    groups = Groups()
    leader, follower = groups.stable(*members(2))
    newcomer = groups.ask(join_request())
    assert state_of(groups) is PREPARING
    waiting = [groups.ask(join_request(each.member_id)) for each in (leader, follower)]
    answers = [each.answer for each in (newcomer, *waiting)]
    assert {answer.generation_id for answer in answers if answer is not None} == {3}
    assert [len(answer.members) for answer in answers if answer is not None] == [0, 3, 0]


def test_who_does_not_join_in_time_is_dropped() -> None:
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


def test_who_is_not_heard_of_while_others_join_is_dropped_earlier() -> None:
    groups = Groups()
    leader, _ = groups.stable(*members(2))
    waiting = groups.ask(join_request(leader.member_id))
    groups.advance(SESSION_TIMEOUT_MS)
    assert waiting.answer is not None
    assert list(groups.group.members) == [leader.member_id]


def test_who_waits_needs_no_heartbeats() -> None:
    groups = Groups()
    leader, follower = groups.stable(*members(2))
    waiting = groups.ask(join_request(leader.member_id))
    for _ in range(4):
        groups.advance(SESSION_TIMEOUT_MS - 1)
        groups.heartbeat(follower)
    assert waiting.answer is None
    assert leader.member_id in groups.group.members


@pytest.mark.parametrize(("release", "is_dropped"), [("2.3", True), ("4.4", True), ("1.1", False)])
def test_a_new_member_waits_five_minutes_at_most_where_releases_drop_it(
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


def test_the_leader_is_another_one_when_it_does_not_join() -> None:
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


def test_static_members_are_not_dropped_for_joining_late() -> None:
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


def test_a_rebalance_that_no_static_member_joins_waits_until_sessions_end() -> None:
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


# Assignments that do not come


def test_who_never_asks_for_its_assignment_is_dropped() -> None:
    groups = Groups()
    leader, follower = groups.gather(*members(2))
    waiting = groups.sync(follower)
    for _ in range(7):
        groups.advance(SESSION_TIMEOUT_MS - 1)
        groups.heartbeat(leader)
    assert list(groups.group.members) == [follower.member_id]
    assert waiting.answer is not None
    assert waiting.answer.code is ErrorCode.REBALANCE_IN_PROGRESS


def test_who_is_silent_before_its_assignment_is_dropped_with_its_session() -> None:
    groups = Groups()
    _, follower = groups.gather(*members(2))
    waiting = groups.sync(follower)
    groups.advance(SESSION_TIMEOUT_MS)
    assert waiting.answer is not None
    assert waiting.answer.code is ErrorCode.REBALANCE_IN_PROGRESS
    assert state_of(groups) is PREPARING


def test_a_leader_that_lives_but_does_not_assign_is_waited_for_in_older_releases() -> None:
    groups = Groups("2.4")
    leader, follower = groups.gather(*members(2))
    groups.sync(follower)
    groups.advance(SESSION_TIMEOUT_MS - 1)
    groups.heartbeat(leader)
    assert groups.group.sync_deadline_ms is None


def test_who_asks_late_gets_its_assignment_and_the_deadline_ends() -> None:
    groups = Groups()
    leader, follower = groups.gather(*members(2))
    groups.sync(leader, {follower.member_id: b"yours"})
    assert state_of(groups) is STABLE
    assert groups.group.sync_deadline_ms is not None
    answer = groups.sync(follower).answer
    assert answer is not None
    assert answer.assignment == b"yours"
    assert groups.group.sync_deadline_ms is None


def test_a_stable_group_drops_who_never_asked() -> None:
    groups = Groups()
    leader, follower = groups.gather(*members(2))
    groups.sync(leader, {})
    for _ in range(7):
        groups.advance(SESSION_TIMEOUT_MS - 1)
        for each in (leader, follower):
            groups.heartbeat(each)
    assert state_of(groups) is PREPARING
    assert list(groups.group.members) == [leader.member_id]


def test_a_rebalance_takes_assignments_that_were_on_their_way_back() -> None:
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


def test_deadlines_of_a_group_that_is_gone_do_nothing() -> None:
    groups = Groups()
    groups.stable(join_request())
    groups.store.remove(groups.group)
    groups.advance(DAY_MS)
    assert not groups.store.groups


def test_an_empty_group_that_cannot_be_logged_is_empty_nonetheless() -> None:
    groups = Groups()
    (member,) = groups.stable(join_request())
    groups.store.append_refusals.append(ErrorCode.NOT_COORDINATOR)
    assert groups.leave(member.member_id) == [ErrorCode.NONE]
    assert state_of(groups) is EMPTY
