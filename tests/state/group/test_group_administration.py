"""Listing and description of groups."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group_administration import (
    DescribedGroup,
    DescribedMember,
    GroupFilters,
    ListedGroup,
    described,
    is_listed,
    listed,
    not_found,
    title,
)
from mockbroker.state.release.options import Options
from tests.state.group.coordinator_building import (
    SUBSCRIPTION,
    coordinating,
    coordinator_in,
    stable_group,
)


def options(release: str = "4.4") -> Options:
    return Options.for_release(release)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (GroupFilters(), True),
        (GroupFilters(["empty"]), True),
        (GroupFilters(["EMPTY ", "Stable"]), True),
        (GroupFilters(["Stable"]), False),
        (GroupFilters(types=["Classic"]), True),
        (GroupFilters(types=["consumer"]), False),
        (GroupFilters(["Empty"], ["consumer"]), False),
    ],
)
def test_filters_are_by_state_and_type(filters: GroupFilters, expected: bool) -> None:
    group = ClassicGroup("readers", now_ms=0)
    assert is_listed(group, filters, options().offsets) is expected


def test_older_releases_match_states_exactly() -> None:
    group = ClassicGroup("readers", now_ms=0)
    assert not is_listed(group, GroupFilters(["empty"]), options("2.8").offsets)
    assert is_listed(group, GroupFilters(["Empty"]), options("2.8").offsets)
    assert is_listed(group, GroupFilters(["empty"]), options("3.9").offsets)
    assert not is_listed(group, GroupFilters(["empty "]), options("3.9").offsets)


def test_a_group_without_members_has_no_protocol_type() -> None:
    group = ClassicGroup("readers", now_ms=0)
    assert listed(group, options().groups) == ListedGroup("readers", "", "Empty")
    found = described(group, options().groups, shows_assignments=True)
    assert found == DescribedGroup("Empty", members=[])


def test_members_are_described_completely_while_their_group_is_stable() -> None:
    group = stable_group(coordinator_in(coordinating()))
    found = described(group, options().groups, shows_assignments=False)
    member = DescribedMember("m-1", None, "client", "/127.0.0.1", SUBSCRIPTION, b"assigned")
    assert found == DescribedGroup("Stable", "consumer", "range", [member])
    group.transition_to(GroupState.PREPARING_REBALANCE, 0)
    for shows_assignments, assignment in ((True, b"assigned"), (False, b"")):
        found = described(group, options().groups, shows_assignments=shows_assignments)
        shown = member._replace(metadata=b"", assignment=assignment)
        assert found == DescribedGroup("PreparingRebalance", "consumer", "", [shown])


def test_assignments_replace_metadata_in_2_3() -> None:
    group = stable_group(coordinator_in(coordinating()))
    (member,) = described(group, options("2.3").groups, shows_assignments=False).members
    assert (member.metadata, member.assignment) == (b"assigned", b"assigned")


def test_a_group_with_a_member_without_the_protocol_cannot_be_described() -> None:
    group = stable_group(coordinator_in(coordinating()))
    group.protocol_name = "sticky"
    with pytest.raises(ApiError, match="'sticky'") as refused:
        described(group, options("2.4").groups, shows_assignments=False)
    assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_state_has_the_name_of_the_release() -> None:
    completing = GroupState.COMPLETING_REBALANCE
    assert title(completing, options("0.11").groups) == "AwaitingSync"
    assert title(completing, options().groups) == "CompletingRebalance"
    assert title(GroupState.STABLE, options("0.11").groups) == "Stable"


def test_an_unknown_group_gets_kafkas_message() -> None:
    refusal = not_found("readers")
    assert (refusal.code, refusal.why) == (
        ErrorCode.GROUP_ID_NOT_FOUND,
        "Group readers not found.",
    )
