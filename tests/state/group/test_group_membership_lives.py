"""SyncGroup, Heartbeat and LeaveGroup, and the order of their checks."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.group_answers import JoinResult, LeavingMember, SyncRequest
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.release.options import SUPPORTED_RELEASES
from tests.state.group.group_building import GROUP, SESSION_TIMEOUT_MS, join_request
from tests.state.group.membership_building import Groups, members

_E = ErrorCode
PREPARING, COMPLETING = GroupState.PREPARING_REBALANCE, GroupState.COMPLETING_REBALANCE

STATIC = pytest.mark.parametrize("release", [each for each in SUPPORTED_RELEASES if each >= "2.3"])
EVERY = pytest.mark.parametrize("release", SUPPORTED_RELEASES)


# SyncGroup


@EVERY
def test_all_members_get_the_leaders_assignments(release: str) -> None:
    groups = Groups(release)
    leader, follower = groups.gather(*members(2))
    waiting = groups.sync(follower)
    assert waiting.answer is None
    own = groups.sync(leader, {leader.member_id: b"1", follower.member_id: b"2"}).answer
    assert own is not None
    assert waiting.answer is not None
    assert (own.assignment, waiting.answer.assignment) == (b"1", b"2")
    assert (own.protocol_type, own.protocol_name) == ("consumer", "range")
    assert groups.state is GroupState.STABLE
    assert waiting in groups.host.notified
    value = groups.store.logged[-1]
    assert [member.assignment for member in value.members] == [b"1", b"2"]
    assert (value.generation, value.leader) == (2, leader.member_id)


def test_a_member_without_an_assignment_gets_an_empty_one() -> None:
    groups = Groups()
    leader, follower = groups.gather(*members(2))
    groups.sync(leader, {leader.member_id: b"all", "unheard of": b"?"})
    answer = groups.sync(follower).answer
    assert answer is not None
    assert (answer.code, answer.assignment) == (ErrorCode.NONE, b"")


def test_a_failed_append_is_reported_to_all_members_and_they_rebalance() -> None:
    groups = Groups()
    leader, follower = groups.gather(*members(2))
    waiting = groups.sync(follower)
    groups.store.append_refusals.append(ErrorCode.NOT_COORDINATOR)
    own = groups.sync(leader, {leader.member_id: b"1"})
    assert {each.answer and each.answer.code for each in (own, waiting)} == {_E.NOT_COORDINATOR}
    assert groups.state is PREPARING
    assert groups.group.members[leader.member_id].assignment == b""


REFUSED_SYNCS = [
    ({"group_id": ""}, _E.INVALID_GROUP_ID),
    ({"group_id": "other"}, _E.UNKNOWN_MEMBER_ID),
    ({"member_id": "other"}, _E.UNKNOWN_MEMBER_ID),
    ({"member_id": "other", "generation_id": 9}, _E.UNKNOWN_MEMBER_ID),
    ({"generation_id": 9}, _E.ILLEGAL_GENERATION),
    ({"generation_id": 9, "protocol_type": "connect"}, _E.ILLEGAL_GENERATION),
    ({"protocol_type": "connect"}, _E.INCONSISTENT_GROUP_PROTOCOL),
    ({"protocol_name": "sticky"}, _E.INCONSISTENT_GROUP_PROTOCOL),
    ({"group_instance_id": "i"}, _E.UNKNOWN_MEMBER_ID),
]


@pytest.mark.parametrize("is_stable", [True, False])
@pytest.mark.parametrize(("asked", "code"), REFUSED_SYNCS)
def test_a_rejected_sync_gets_the_reason(
    asked: dict[str, str], code: ErrorCode, is_stable: bool
) -> None:
    groups = Groups()
    gather = groups.stable if is_stable else groups.gather
    (member,) = gather(join_request())
    request = SyncRequest(GROUP, 1, member.member_id, None, "consumer", "range")
    before = groups.group.members[member.member_id].as_text()
    answer = groups.membership.sync(request._replace(**asked), groups.now_ms).answer  # type: ignore[arg-type]
    assert answer is not None
    assert (answer.code, answer.assignment) == (code, b"")
    assert groups.group.members[member.member_id].as_text() == before


def test_sync_is_rejected_while_members_join() -> None:
    groups = Groups()
    leader, follower = groups.stable(*members(2))
    groups.ask(join_request(leader.member_id))
    answer = groups.sync(follower).answer
    assert answer is not None
    assert answer.code is ErrorCode.REBALANCE_IN_PROGRESS


@pytest.mark.parametrize(
    ("release", "code"),
    [
        ("0.11", _E.UNKNOWN_MEMBER_ID),
        ("2.4", _E.REBALANCE_IN_PROGRESS),
        ("3.9", _E.REBALANCE_IN_PROGRESS),
        ("4.4", _E.COORDINATOR_LOAD_IN_PROGRESS),
    ],
)
def test_sync_while_groups_are_loading(release: str, code: ErrorCode) -> None:
    groups = Groups(release)
    groups.store.lookup_refusal = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    answer = groups.sync(JoinResult("m")).answer
    assert answer is not None
    assert answer.code is code


@pytest.mark.parametrize(("release", "left"), [("4.4", 0), ("3.9", 1)])
def test_sync_with_a_stable_group_renews_the_session_in_some_releases(
    release: str, left: int
) -> None:
    groups = Groups(release)
    (member,) = groups.stable(join_request())
    groups.advance(SESSION_TIMEOUT_MS - 1)
    assert groups.sync(member).answer is not None
    groups.advance(1)
    assert len(groups.group.members) == left


def test_an_assignment_renews_the_session_of_each_member_that_gets_it() -> None:
    groups = Groups()
    leader, follower = groups.gather(*members(2))
    groups.sync(follower)
    groups.advance(SESSION_TIMEOUT_MS - 1)
    assert groups.sync(leader).answer is not None
    groups.advance(SESSION_TIMEOUT_MS - 1)
    assert list(groups.group.members) == [leader.member_id, follower.member_id]
    groups.advance(1)
    assert groups.state is GroupState.EMPTY


def test_a_session_that_ended_while_a_member_awaited_its_assignment_begins_again_with_it() -> None:
    groups = Groups()
    leader, follower = groups.gather(*members(2))
    waiting = groups.sync(follower)
    for _ in range(2):
        groups.advance(SESSION_TIMEOUT_MS - 1)
        groups.heartbeat(leader)
    assert waiting.answer is None
    assert groups.group.members[follower.member_id].session_deadline_ms is None
    groups.sync(leader, {follower.member_id: b"yours"})
    assert waiting.answer is not None
    assert waiting.answer.assignment == b"yours"
    groups.advance(SESSION_TIMEOUT_MS - 1)
    groups.heartbeat(leader)
    assert list(groups.group.members) == [leader.member_id, follower.member_id]
    groups.advance(1)
    assert list(groups.group.members) == [leader.member_id]


def test_an_assignment_that_cannot_be_logged_renews_the_sessions_as_well() -> None:
    groups = Groups()
    leader, follower = groups.gather(*members(2))
    waiting = groups.sync(follower)
    groups.advance(SESSION_TIMEOUT_MS - 1)
    groups.store.append_refusals.append(ErrorCode.NOT_COORDINATOR)
    groups.sync(leader)
    assert waiting.answer is not None
    assert waiting.answer.code is ErrorCode.NOT_COORDINATOR
    groups.advance(SESSION_TIMEOUT_MS - 1)
    assert list(groups.group.members) == [leader.member_id, follower.member_id]
    groups.advance(1)
    assert groups.state is GroupState.EMPTY


# Heartbeat


def test_a_member_stays_as_long_as_it_sends_heartbeats() -> None:
    groups = Groups()
    (member,) = groups.stable(join_request())
    for _ in range(5):
        groups.advance(SESSION_TIMEOUT_MS - 1)
        assert groups.heartbeat(member) is ErrorCode.NONE
    groups.advance(SESSION_TIMEOUT_MS - 1)
    assert len(groups.group.members) == 1
    groups.advance(1)
    assert groups.state is GroupState.EMPTY
    assert groups.heartbeat(member) is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_commit_renews_the_session() -> None:
    groups = Groups()
    (member,) = groups.stable(join_request())
    groups.advance(SESSION_TIMEOUT_MS - 1)
    groups.membership.renew_session(groups.group, member.member_id, groups.now_ms)
    groups.membership.renew_session(groups.group, "somebody else", groups.now_ms)
    groups.advance(SESSION_TIMEOUT_MS - 1)
    assert groups.state is GroupState.STABLE


def test_heartbeats_report_rebalances() -> None:
    groups = Groups()
    leader, follower = groups.stable(*members(2))
    groups.ask(join_request(leader.member_id))
    assert groups.heartbeat(follower) is ErrorCode.REBALANCE_IN_PROGRESS
    assert groups.heartbeat(follower, generation_id=9) is ErrorCode.ILLEGAL_GENERATION
    assert groups.heartbeat(follower, instance="i") is ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("release", "code", "of_another_generation"),
    [
        ("0.11", _E.REBALANCE_IN_PROGRESS, _E.REBALANCE_IN_PROGRESS),
        ("2.4", _E.REBALANCE_IN_PROGRESS, _E.ILLEGAL_GENERATION),
        ("2.8", _E.NONE, _E.ILLEGAL_GENERATION),
        ("4.4", _E.NONE, _E.ILLEGAL_GENERATION),
    ],
)
def test_a_heartbeat_before_the_assignment(
    release: str, code: ErrorCode, of_another_generation: ErrorCode
) -> None:
    groups = Groups(release)
    (member,) = groups.gather(join_request())
    assert groups.heartbeat(member) is code
    assert groups.heartbeat(member, generation_id=9) is of_another_generation


def test_heartbeats_are_accepted_while_groups_are_loading() -> None:
    groups = Groups()
    groups.store.lookup_refusal = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert groups.heartbeat(JoinResult("m")) is ErrorCode.NONE
    groups.store.lookup_refusal = ErrorCode.NOT_COORDINATOR
    assert groups.heartbeat(JoinResult("m")) is ErrorCode.NOT_COORDINATOR


@pytest.mark.parametrize(
    ("release", "code"), [("1.1", _E.UNKNOWN_MEMBER_ID), ("2.3", _E.INVALID_GROUP_ID)]
)
def test_an_empty_group_id_is_validated_in_some_releases(release: str, code: ErrorCode) -> None:
    groups = Groups(release)
    with pytest.raises(ApiError) as refusal:
        groups.membership.heartbeat("", "m", None, 1, 0)
    assert refusal.value.code is code


# LeaveGroup


@EVERY
def test_the_others_rebalance_when_a_member_leaves(release: str) -> None:
    groups = Groups(release)
    leader, follower = groups.stable(*members(2))
    assert groups.leave(leader.member_id) == [ErrorCode.NONE]
    assert groups.state is PREPARING
    assert groups.group.leader_id == follower.member_id
    joined = groups.join(join_request(follower.member_id))
    assert (joined.generation_id, joined.leader_id) == (3, follower.member_id)


@EVERY
def test_a_group_without_members_is_logged_as_empty(release: str) -> None:
    groups = Groups(release)
    joined = groups.stable(*members(3))
    assert groups.leave(*(each.member_id for each in joined)) == [ErrorCode.NONE] * 3
    assert groups.state is GroupState.EMPTY
    value = groups.store.logged[-1]
    assert (value.generation, value.protocol, value.leader) == (3, None, None)
    assert value.protocol_type == "consumer"


def test_a_pending_join_is_answered_when_the_member_is_removed() -> None:
    groups = Groups()
    leader, _ = groups.stable(*members(2))
    waiting = groups.ask(join_request(leader.member_id))
    groups.leave(leader.member_id)
    assert waiting.answer is not None
    assert (waiting.answer.code, waiting.answer.member_id) == (ErrorCode.UNKNOWN_MEMBER_ID, "")


@pytest.mark.parametrize(
    ("release", "state"),
    [("4.4", GroupState.PREPARING_REBALANCE), ("2.4", GroupState.STABLE)],
)
def test_leaving_with_a_pending_id_begins_a_rebalance_in_some_releases(
    release: str, state: GroupState
) -> None:
    groups = Groups(release)
    groups.stable(join_request())
    given = groups.join(join_request(must_have_member_id=True))
    assert groups.leave(given.member_id) == [ErrorCode.NONE]
    assert groups.group.state is state


def test_a_member_that_leaves_with_a_pending_id_does_not_block_the_others() -> None:
    groups = Groups()
    leader, follower = groups.stable(*members(2))
    given = groups.join(join_request(must_have_member_id=True))
    waiting = [groups.ask(join_request(each.member_id)) for each in (leader, follower)]
    assert all(each.answer is None for each in waiting)
    assert groups.leave(given.member_id) == [ErrorCode.NONE]
    assert all(each.answer is not None for each in waiting)


@STATIC
def test_static_members_leave_by_their_instance_id(release: str) -> None:
    groups = Groups(release)
    groups.stable(join_request(instance="i"), join_request(instance="j"))
    codes = groups.leave(LeavingMember("", "i"), LeavingMember("", "unheard of"))
    assert codes == [ErrorCode.NONE, ErrorCode.UNKNOWN_MEMBER_ID]
    assert list(groups.group.static_members) == ["j"]


@pytest.mark.parametrize(
    ("leaving", "code"),
    [
        (LeavingMember("", None), _E.UNKNOWN_MEMBER_ID),
        (LeavingMember("unheard of", None), _E.UNKNOWN_MEMBER_ID),
        (LeavingMember("unheard of", "i"), _E.FENCED_INSTANCE_ID),
        (LeavingMember("unheard of", "j"), _E.UNKNOWN_MEMBER_ID),
    ],
)
def test_an_unknown_member_cannot_leave(leaving: LeavingMember, code: ErrorCode) -> None:
    groups = Groups()
    groups.stable(join_request(instance="i"))
    assert groups.leave(leaving) == [code]
    assert groups.state is GroupState.STABLE


@pytest.mark.parametrize(("release", "code"), [("2.8", _E.NONE), ("3.9", _E.UNKNOWN_MEMBER_ID)])
def test_an_unknown_instance_id_is_rejected_in_some_releases(release: str, code: ErrorCode) -> None:
    groups = Groups(release)
    (member,) = groups.stable(join_request())
    assert groups.heartbeat(member, instance="unheard of") is code
    assert groups.leave(LeavingMember(member.member_id, "unheard of")) == [code]


def test_leaving_an_unknown_group_is_rejected() -> None:
    assert Groups().leave("a", "b") == [ErrorCode.UNKNOWN_MEMBER_ID] * 2


@pytest.mark.parametrize(("release", "is_told"), [("3.9", True), ("4.4", False)])
def test_members_of_one_request_leave_one_by_one_in_some_releases(
    release: str, is_told: bool
) -> None:
    groups = Groups(release)
    _, *others = groups.gather(*members(3))
    waiting = [groups.sync(each) for each in others]
    groups.leave(*(each.member_id for each in others))
    assert (waiting[1].answer is not None) is is_told
    assert waiting[0].answer is None
