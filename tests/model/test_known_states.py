"""A search knows millions of states by a number each."""

import pytest

from tests.model.checker.known_states import KnownStates

KEY = 0xFEDC_BA98_7654_3210


def test_a_state_is_new_once() -> None:
    known = KnownStates(size=4)
    assert known.add(KEY, 1)
    assert not known.add(KEY, 1)
    assert not known.add(KEY, 2)
    assert known.has(KEY, 1)
    assert not known.has(KEY, 2)


def test_states_with_the_same_place_are_told_apart() -> None:
    known = KnownStates(size=4)
    keys = [KEY + (step << 20) for step in range(4)]
    assert [known.add(key, 0) for key in keys] == [True] * 4
    assert all(known.has(key, 0) for key in keys)


def test_too_many_states_are_an_error() -> None:
    known = KnownStates(size=2)
    for step in range(2):
        known.add(KEY + (step << 20), 0)
    with pytest.raises(MemoryError, match="more than 2 states"):
        known.add(KEY + (3 << 20), 0)
