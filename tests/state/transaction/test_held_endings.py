"""Markers and completions that a test holds."""

from mockbroker.state.transaction.held_endings import HeldEndings
from tests.state.transaction.coordinator_building import ID, A, B


def test_everything_is_held_or_the_markers_of_some_partitions() -> None:
    held = HeldEndings()
    assert (ID in held, held.holds_marker(ID, A), held.holds_completion(ID)) == (False,) * 3
    held.hold(ID, A)
    assert (held.holds_marker(ID, A), held.holds_marker(ID, B)) == (True, False)
    assert not held.holds_completion(ID)
    held.hold(ID, B)
    assert (held.holds_marker(ID, A), held.holds_marker(ID, B)) == (True, True)
    held.hold(ID)
    held.hold(ID, A)
    assert held.holds_completion(ID)
    assert ID in held


def test_a_released_transaction_is_not_held() -> None:
    held = HeldEndings()
    held.hold(ID)
    held.release(ID)
    held.release(ID)
    assert ID not in held
    assert not held.holds_marker(ID, A)


def test_holds_are_part_of_the_state() -> None:
    held = HeldEndings()
    held.hold("b")
    held.hold("a", A)
    assert held.as_text() == ["holds 'a' a-0", "holds 'b' everything"]
