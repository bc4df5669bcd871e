"""JoinGroup: the order of its checks, and its members."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.release.options import SUPPORTED_RELEASES
from tests.state.group.group_building import SESSION_TIMEOUT_MS, join_request
from tests.state.group.membership_building import Groups, members

_E = ErrorCode
PREPARING, COMPLETING = GroupState.PREPARING_REBALANCE, GroupState.COMPLETING_REBALANCE

STATIC = pytest.mark.parametrize("release", [each for each in SUPPORTED_RELEASES if each >= "2.3"])
EVERY = pytest.mark.parametrize("release", SUPPORTED_RELEASES)


# JoinGroup


@EVERY
def test_the_first_member_leads_the_first_generation(release: str) -> None:
    groups = Groups(release)
    joined = groups.join(join_request(client_id="me"))
    assert joined.code is ErrorCode.NONE
    assert joined.member_id.startswith("me-")
    assert (joined.generation_id, joined.leader_id) == (1, joined.member_id)
    assert (joined.protocol_type, joined.protocol_name) == ("consumer", "range")
    assert [each.member_id for each in joined.members] == [joined.member_id]
    assert groups.state is COMPLETING


def test_a_member_that_needs_an_id_gets_one_and_joins_again() -> None:
    groups = Groups()
    first = groups.join(join_request(must_have_member_id=True))
    assert first.code is ErrorCode.MEMBER_ID_REQUIRED
    assert groups.state is GroupState.EMPTY
    joined = groups.join(join_request(first.member_id, must_have_member_id=True))
    assert (joined.code, joined.member_id) == (ErrorCode.NONE, first.member_id)


def test_a_pending_member_id_expires() -> None:
    groups = Groups()
    given = groups.join(join_request(must_have_member_id=True))
    groups.advance(SESSION_TIMEOUT_MS - 1)
    assert list(groups.group.pending_members) == [given.member_id]
    groups.advance(1)
    assert not groups.group.pending_members
    assert groups.join(join_request(given.member_id)).code is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_dynamic_members_id_is_not_valid_for_a_static_one() -> None:
    groups = Groups()
    given = groups.join(join_request(must_have_member_id=True))
    refused = groups.join(join_request(given.member_id, instance="i"))
    assert (refused.code, refused.member_id) == (ErrorCode.UNKNOWN_SERVER_ERROR, "")


def test_a_static_member_needs_no_id_first() -> None:
    groups = Groups()
    joined = groups.join(join_request(instance="i", must_have_member_id=True))
    assert joined.code is ErrorCode.NONE
    assert joined.member_id.startswith("i-")


def test_member_ids_are_the_same_in_the_same_order_and_differ_otherwise() -> None:
    given = [Groups().join(join_request()).member_id for _ in range(2)]
    assert given[0] == given[1]
    groups = Groups()
    assert len({groups.join(join_request(must_have_member_id=True)).member_id for _ in "abc"}) == 3


REFUSED_JOINS = [
    ({"group_id": ""}, _E.INVALID_GROUP_ID),
    ({"group_id": "", "session_timeout_ms": 1}, _E.INVALID_GROUP_ID),
    ({"session_timeout_ms": 5_999}, _E.INVALID_SESSION_TIMEOUT),
    ({"session_timeout_ms": 1_800_001}, _E.INVALID_SESSION_TIMEOUT),
    ({"session_timeout_ms": 1, "member_id": "m"}, _E.INVALID_SESSION_TIMEOUT),
    ({"member_id": "m"}, _E.UNKNOWN_MEMBER_ID),
]


@pytest.mark.parametrize(("asked", "code"), REFUSED_JOINS)
def test_a_rejected_member_gets_the_reason_and_its_id(
    asked: dict[str, str], code: ErrorCode
) -> None:
    groups = Groups()
    refused = groups.join(join_request(**asked))  # type: ignore[arg-type]
    assert (refused.code, refused.member_id) == (code, asked.get("member_id", ""))
    assert (refused.generation_id, refused.members) == (-1, ())
    assert not groups.store.groups


@pytest.mark.parametrize(("protocol_type", "names"), [("", ("range",)), ("consumer", ()), ("", ())])
def test_a_member_without_protocols_still_creates_the_group(
    protocol_type: str, names: tuple[str, ...]
) -> None:
    groups = Groups()
    refused = groups.join(join_request(protocol_type=protocol_type, names=names))
    assert refused.code is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert groups.state is GroupState.EMPTY
    assert not groups.group.members


@pytest.mark.parametrize(
    "asked", [join_request(names=("sticky",)), join_request(protocol_type="connect")]
)
def test_a_member_without_a_common_protocol_is_rejected(asked: object) -> None:
    groups = Groups()
    (member,) = groups.stable(join_request())
    refused = groups.join(asked)  # type: ignore[arg-type]
    assert refused.code is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert list(groups.group.members) == [member.member_id]
    assert groups.state is GroupState.STABLE


@pytest.mark.parametrize(
    ("release", "session_timeout_ms", "code", "member_id"),
    [
        ("4.4", 10_000, _E.NOT_COORDINATOR, ""),
        ("4.4", 1, _E.INVALID_SESSION_TIMEOUT, "m"),
        ("3.9", 10_000, _E.NOT_COORDINATOR, "m"),
        ("3.9", 1, _E.NOT_COORDINATOR, "m"),
    ],
)
def test_the_order_of_the_coordinator_check_depends_on_the_release(
    release: str, session_timeout_ms: int, code: ErrorCode, member_id: str
) -> None:
    groups = Groups(release)
    groups.store.lookup_refusal = ErrorCode.NOT_COORDINATOR
    refused = groups.join(join_request("m", session_timeout_ms=session_timeout_ms))
    assert (refused.code, refused.member_id) == (code, member_id)


@pytest.mark.parametrize(("release", "generation_id"), [("0.11", 0), ("1.1", 0), ("2.3", -1)])
def test_the_generation_id_of_an_error_depends_on_the_release(
    release: str, generation_id: int
) -> None:
    groups = Groups(release)
    groups.stable(join_request())
    for asked in (join_request(protocol_type="odd"), join_request("unheard of")):
        refused = groups.join(asked)
        assert (refused.generation_id, refused.protocol_name) == (generation_id, None)


@pytest.mark.parametrize(("release", "logged"), [("4.4", 1), ("3.9", 0), ("2.4", 0)])
def test_a_new_group_is_logged_in_some_releases(release: str, logged: int) -> None:
    groups = Groups(release)
    groups.ask(join_request())
    assert len(groups.store.logged) == logged
    assert all(value.protocol_type == "" and not value.members for value in groups.store.logged)


def test_a_group_that_cannot_be_logged_is_not_created() -> None:
    groups = Groups()
    groups.store.append_refusals.append(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    refused = groups.join(join_request())
    assert refused.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert not groups.store.groups


# Joining again


def test_a_follower_that_lost_a_response_gets_it_again_without_a_rebalance() -> None:
    groups = Groups()
    _, follower = groups.stable(*members(2))
    again = groups.join(join_request(follower.member_id, client_id="b"))
    assert again == follower
    assert groups.state is GroupState.STABLE


def test_a_leader_that_joins_a_stable_group_begins_a_rebalance() -> None:
    groups = Groups()
    leader, _ = groups.stable(*members(2))
    waiting = groups.ask(join_request(leader.member_id))
    assert waiting.answer is None
    assert groups.state is PREPARING


def test_a_leader_that_rejoins_before_the_assignment_gets_the_same_generation() -> None:
    groups = Groups()
    leader, _ = groups.gather(*members(2))
    assert groups.join(join_request(leader.member_id)) == leader
    assert groups.state is COMPLETING


@pytest.mark.parametrize("is_stable", [True, False])
def test_a_follower_with_new_metadata_begins_a_rebalance(is_stable: bool) -> None:
    groups = Groups()
    gather = groups.stable if is_stable else groups.gather
    _, follower = gather(*members(2))
    waiting = groups.ask(join_request(follower.member_id, metadata=b"more topics"))
    assert waiting.answer is None
    assert groups.state is PREPARING


def test_a_member_of_a_group_that_is_empty_again_is_unknown() -> None:
    groups = Groups()
    (member,) = groups.stable(join_request())
    groups.leave(member.member_id)
    assert groups.join(join_request(member.member_id)).code is ErrorCode.UNKNOWN_MEMBER_ID
    assert groups.heartbeat(member) is ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(("release", "timeouts"), [("4.4", (1, 7_000)), ("2.8", (60_000, 10_000))])
def test_rejoining_changes_timeouts_in_some_releases(
    release: str, timeouts: tuple[int, int]
) -> None:
    groups = Groups(release)
    (member,) = groups.stable(join_request())
    groups.join(join_request(member.member_id, session_timeout_ms=7_000, rebalance_timeout_ms=1))
    found = groups.group.members[member.member_id]
    assert (found.rebalance_timeout_ms, found.session_timeout_ms) == timeouts


# group.max.size


def test_a_full_group_rejects_new_members() -> None:
    groups = Groups(group_max_size="2")
    groups.stable(*members(2))
    refused = groups.join(join_request())
    assert (refused.code, refused.member_id) == (ErrorCode.GROUP_MAX_SIZE_REACHED, "")
    assert groups.state is GroupState.STABLE


def test_a_known_member_of_a_full_group_may_join_again() -> None:
    groups = Groups(group_max_size="2")
    _, follower = groups.stable(*members(2))
    assert groups.join(join_request(follower.member_id)).code is ErrorCode.NONE


@pytest.mark.parametrize(("release", "is_dropped"), [("4.4", True), ("2.4", False)])
def test_during_a_rebalance_the_limit_applies_to_joined_or_all_members(
    release: str, is_dropped: bool
) -> None:
    groups = Groups(release, group_max_size="2")
    leader, follower = groups.stable(*members(2))
    # No member waits yet, so the newest release accepts one more than the limit.
    groups.ask(join_request(leader.member_id))
    newcomer = groups.ask(join_request())
    late = groups.ask(join_request(follower.member_id))
    codes = [each.answer.code for each in (newcomer, late) if each.answer is not None]
    assert (ErrorCode.GROUP_MAX_SIZE_REACHED in codes) is True
    assert (follower.member_id not in groups.group.members) is is_dropped


@pytest.mark.parametrize(("release", "is_completed"), [("3.9", True), ("4.4", False)])
def test_removing_the_last_missing_member_for_size_completes_the_rebalance_in_some_releases(
    release: str, is_completed: bool
) -> None:
    before = Groups(release)
    leader, follower = before.stable(*members(2))
    groups = Groups(release, group_max_size="1")
    groups.load(before.store.logged[-1])
    assert groups.state is PREPARING
    waiting = groups.ask(join_request(leader.member_id))
    refused = groups.ask(join_request(follower.member_id)).answer
    assert refused is not None
    assert refused.code is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert list(groups.group.members) == [leader.member_id]
    assert (waiting.answer is not None) is is_completed


# Changes of the coordinator


def test_pending_joins_are_answered_when_the_group_moves() -> None:
    groups = Groups()
    leader, _ = groups.stable(*members(2))
    joining = groups.ask(join_request(leader.member_id))
    groups.membership.on_unloaded(groups.group)
    assert joining.answer is not None
    assert joining.answer.code is ErrorCode.NOT_COORDINATOR
    assert joining.answer.member_id == leader.member_id
    assert groups.state is GroupState.DEAD


def test_pending_syncs_are_answered_when_the_group_moves() -> None:
    groups = Groups()
    _, follower = groups.gather(*members(2))
    syncing = groups.sync(follower)
    groups.membership.on_unloaded(groups.group)
    assert syncing.answer is not None
    assert syncing.answer.code is ErrorCode.NOT_COORDINATOR


def test_sessions_restart_when_a_group_is_loaded() -> None:
    groups = Groups()
    (member,) = groups.stable(join_request())
    other = Groups()
    other.load(groups.store.logged[-1])
    other.advance(SESSION_TIMEOUT_MS - 1)
    assert other.heartbeat(member) is ErrorCode.NONE
    other.advance(SESSION_TIMEOUT_MS)
    assert other.state is GroupState.EMPTY


def test_a_group_that_is_too_large_when_it_is_loaded_rebalances() -> None:
    groups = Groups()
    groups.stable(*members(2))
    other = Groups(group_max_size="1")
    other.load(groups.store.logged[-1])
    assert other.state is PREPARING


def test_the_state_of_the_random_source_is_shown() -> None:
    groups = Groups()
    before = groups.membership.as_text()
    groups.ask(join_request())
    assert before != groups.membership.as_text()


# What tests do


def test_a_fenced_member_is_told_and_the_others_rebalance() -> None:
    groups = Groups()
    first, second = groups.stable(*members(2))
    groups.membership.fence(groups.group, groups.group.members[second.member_id], groups.now_ms)
    assert groups.state is GroupState.PREPARING_REBALANCE
    assert groups.heartbeat(second) is ErrorCode.UNKNOWN_MEMBER_ID
    assert groups.heartbeat(first) is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_member_that_waits_for_an_answer_is_fenced_too() -> None:
    groups = Groups()
    _, second = groups.gather(*members(2))
    waiting = groups.sync(second)
    groups.membership.fence(groups.group, groups.group.members[second.member_id], groups.now_ms)
    assert waiting.answer is not None
    assert waiting.answer.code is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_rebalance_that_nobody_held_is_not_completed_early() -> None:
    groups = Groups()
    first, _ = groups.stable(*members(2))
    again = groups.ask(members(1)[0]._replace(member_id=first.member_id))
    groups.membership.resume(groups.group, groups.now_ms)
    assert again.answer is None
