import pytest

from mockbroker.state.group.streams.streams_group_member import (
    StreamsGroupMember,
    StreamsMemberState,
)


@pytest.mark.parametrize(
    ("value", "state"),
    [
        (1, StreamsMemberState.STABLE),
        (3, StreamsMemberState.UNRELEASED_TASKS),
        (9, StreamsMemberState.UNKNOWN),
    ],
)
def test_states_of_later_releases_are_unknown(value: int, state: StreamsMemberState) -> None:
    assert StreamsMemberState.from_value(value) is state


def test_a_member_at_its_next_epoch_remembers_the_one_before() -> None:
    member = StreamsGroupMember("m", 2).at_epoch(3)
    assert (member.member_epoch, member.previous_member_epoch) == (3, 2)
    assert member.is_reconciled_to(3)
    assert not member.is_reconciled_to(4)
