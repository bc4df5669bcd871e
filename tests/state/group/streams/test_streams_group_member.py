import pytest

from mockbroker.state.group.streams.streams_group_member import MemberState, StreamsGroupMember


@pytest.mark.parametrize(
    ("value", "state"),
    [(1, MemberState.STABLE), (3, MemberState.UNRELEASED_TASKS), (9, MemberState.UNKNOWN)],
)
def test_states_of_later_releases_are_unknown(value: int, state: MemberState) -> None:
    assert MemberState.from_value(value) is state


def test_a_member_at_its_next_epoch_remembers_the_one_before() -> None:
    member = StreamsGroupMember("m", 2).at_epoch(3)
    assert (member.member_epoch, member.previous_member_epoch) == (3, 2)
    assert member.is_reconciled_to(3)
    assert not member.is_reconciled_to(4)
