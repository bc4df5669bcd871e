"""Validation of offset commits and deletions."""

from collections.abc import Callable

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group_checks import (
    Committer,
    validate_delete,
    validate_offset_commit,
    validate_offset_delete,
    validate_transactional_offset_commit,
)
from mockbroker.state.release.group_options import GROUPS_OF_0_11, GroupOptions
from tests.state.group.group_building import group_of, member

NOW = GroupOptions()
NOBODY = Committer("", None, -1)
MEMBER = Committer("a", None, 1)
STATIC = Committer("s", "i", 1)

_E = ErrorCode
OK = ErrorCode.NONE


def group_in(state: GroupState, protocol_type: str = "consumer") -> ClassicGroup:
    if state is GroupState.EMPTY:
        return group_of()
    group = group_of(
        member("a", protocol_type=protocol_type),
        member("s", instance="i", protocol_type=protocol_type),
        state=GroupState.PREPARING_REBALANCE,
    )
    group.next_generation(1)
    if state is not GroupState.COMPLETING_REBALANCE:
        group.transition_to(GroupState.STABLE, 2)
    if state is GroupState.PREPARING_REBALANCE:
        group.transition_to(state, 3)
    return group


def code_of(
    validate: Callable[[ClassicGroup, Committer, GroupOptions], None],
    group: ClassicGroup,
    committer: Committer,
    options: GroupOptions,
) -> ErrorCode:
    try:
        validate(group, committer, options)
    except ApiError as refusal:
        return refusal.code
    return OK


STABLE, COMPLETING = GroupState.STABLE, GroupState.COMPLETING_REBALANCE
PREPARING, EMPTY = GroupState.PREPARING_REBALANCE, GroupState.EMPTY

COMMITS: list[tuple[GroupState, Committer, ErrorCode, ErrorCode, ErrorCode]] = [
    # state, committer, 4.4, 0.11, in a transaction
    (EMPTY, NOBODY, OK, OK, OK),
    (EMPTY, MEMBER, _E.UNKNOWN_MEMBER_ID, _E.UNKNOWN_MEMBER_ID, _E.UNKNOWN_MEMBER_ID),
    (STABLE, NOBODY, _E.UNKNOWN_MEMBER_ID, _E.UNKNOWN_MEMBER_ID, OK),
    (STABLE, MEMBER, OK, OK, OK),
    (STABLE, STATIC, OK, OK, OK),
    (
        STABLE,
        MEMBER._replace(generation_id=2),
        _E.ILLEGAL_GENERATION,
        _E.ILLEGAL_GENERATION,
        _E.ILLEGAL_GENERATION,
    ),
    (
        STABLE,
        MEMBER._replace(generation_id=-1),
        _E.ILLEGAL_GENERATION,
        _E.ILLEGAL_GENERATION,
        _E.ILLEGAL_GENERATION,
    ),
    (
        STABLE,
        MEMBER._replace(member_id="x", generation_id=2),
        _E.UNKNOWN_MEMBER_ID,
        _E.UNKNOWN_MEMBER_ID,
        _E.UNKNOWN_MEMBER_ID,
    ),
    (
        STABLE,
        STATIC._replace(member_id="a"),
        _E.FENCED_INSTANCE_ID,
        _E.FENCED_INSTANCE_ID,
        _E.FENCED_INSTANCE_ID,
    ),
    (
        STABLE,
        MEMBER._replace(group_instance_id="?"),
        _E.UNKNOWN_MEMBER_ID,
        OK,
        _E.UNKNOWN_MEMBER_ID,
    ),
    (PREPARING, MEMBER, OK, OK, OK),
    (COMPLETING, MEMBER, _E.REBALANCE_IN_PROGRESS, _E.REBALANCE_IN_PROGRESS, OK),
    (
        COMPLETING,
        MEMBER._replace(member_id="x"),
        _E.UNKNOWN_MEMBER_ID,
        _E.REBALANCE_IN_PROGRESS,
        _E.UNKNOWN_MEMBER_ID,
    ),
    (COMPLETING, NOBODY, _E.UNKNOWN_MEMBER_ID, _E.REBALANCE_IN_PROGRESS, OK),
]


@pytest.mark.parametrize(("state", "committer", "now", "then", "transactional"), COMMITS)
def test_offsets_are_committed_by_members_or_to_groups_without_members(
    state: GroupState,
    committer: Committer,
    now: ErrorCode,
    then: ErrorCode,
    transactional: ErrorCode,
) -> None:
    group = group_in(state)
    assert [
        code_of(validate_offset_commit, group, committer, NOW),
        code_of(validate_offset_commit, group, committer, GROUPS_OF_0_11),
        code_of(validate_transactional_offset_commit, group, committer, NOW),
    ] == [now, then, transactional]


@pytest.mark.parametrize("state", [PREPARING, COMPLETING, STABLE])
def test_a_group_with_members_is_not_deleted(state: GroupState) -> None:
    with pytest.raises(ApiError) as refusal:
        validate_delete(group_in(state))
    assert refusal.value.code is ErrorCode.NON_EMPTY_GROUP
    with pytest.raises(ApiError) as refusal:
        validate_offset_delete(group_in(state, "connect"))
    assert refusal.value.code is ErrorCode.NON_EMPTY_GROUP
    validate_offset_delete(group_in(state))


def test_an_empty_group_may_be_deleted() -> None:
    validate_delete(group_in(EMPTY))
    validate_offset_delete(group_in(EMPTY))
