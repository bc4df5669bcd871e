"""States of a group: Kafka's names, and the valid transitions."""

import pytest

from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_state import (
    VALID_PREVIOUS_STATES,
    GroupState,
    IllegalGroupStateError,
)

MOVES = """
Empty > PreparingRebalance Dead
PreparingRebalance > CompletingRebalance Empty Dead
CompletingRebalance > Stable PreparingRebalance Dead
Stable > PreparingRebalance Dead
Dead > Dead
"""
"""The inverse table, as in the diagrams of the protocol."""


def moves() -> dict[str, set[str]]:
    lines = [line.split(" >") for line in MOVES.strip().splitlines()]
    return {state: set(following.split()) for state, following in lines}


def test_states_have_kafkas_names() -> None:
    assert [state.title for state in GroupState] == list(moves())


@pytest.mark.parametrize("before", GroupState, ids=lambda state: state.title)
@pytest.mark.parametrize("after", GroupState, ids=lambda state: state.title)
def test_transitions_follow_the_table(before: GroupState, after: GroupState) -> None:
    group = ClassicGroup("g", now_ms=1, state=before)
    if after.title in moves()[before.title]:
        group.transition_to(after, 2)
        assert (group.state, group.previous_state) == (after, before)
        assert group.current_state_timestamp_ms == 2
    else:
        with pytest.raises(IllegalGroupStateError):
            group.transition_to(after, 2)
        assert (group.state, group.current_state_timestamp_ms) == (before, 1)


def test_every_state_has_a_row() -> None:
    assert set(VALID_PREVIOUS_STATES) == set(GroupState)
