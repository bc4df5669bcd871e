"""Markers, completions and reconciliations that a test holds."""

from functools import partial

from mockbroker.state.coordinator.holds import (
    HeldDeadLetters,
    HeldEndings,
    HeldReconciliations,
    MarkerDelay,
)
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


def test_a_hold_is_of_a_group_and_ends_with_its_release() -> None:
    held = HeldReconciliations()
    assert not held.holds("readers", "a")
    held.hold("readers")
    assert "readers" in held
    assert held.holds("readers", "a")
    assert not held.holds("others", "a")
    held.release("readers")
    held.release("readers")
    assert "readers" not in held


def test_a_member_may_take_one_step() -> None:
    held = HeldReconciliations()
    held.allow_step("readers", "a")
    held.took_step("readers", "a")
    held.hold("readers")
    assert held.holds("readers", "a")
    held.allow_step("readers", "a")
    held.hold("readers")
    assert not held.holds("readers", "a")
    assert held.holds("readers", "b")
    assert held.as_text() == ["holds the members of group 'readers' except ['a']"]
    held.took_step("readers", "a")
    assert held.holds("readers", "a")


def _note(ran: list[int], number: int, now_ms: int) -> None:
    ran.append(now_ms + number)


def test_dead_letters_of_a_held_group_wait_for_a_step_or_the_release() -> None:
    held, ran = HeldDeadLetters(), list[int]()
    held.hold("readers")
    held.hold("readers")
    assert ("readers" in held, "others" in held) == (True, False)
    for number in range(3):
        held.wait("readers", f"step {number}", partial(_note, ran, number))
    assert held.as_text() == [
        "holds the dead letters of group 'readers': ['step 0', 'step 1', 'step 2']"
    ]
    assert held.step("readers", 10) == "step 0"
    assert ran == [10]
    held.release("readers", 20)
    assert ran == [10, 21, 22]
    assert "readers" not in held
    assert held.step("readers", 30) is None
    held.release("readers", 30)
    assert held.as_text() == []


def test_a_delay_is_of_all_transactions_or_of_some_that_the_seed_chooses() -> None:
    assert MarkerDelay().of_next_ms() == 0
    assert MarkerDelay(20).of_next_ms() == 20
    drawn = [MarkerDelay(20, 0.75, seed=seed).of_next_ms() for seed in range(400)]
    assert set(drawn) == {0, 20}
    assert 270 < sum(map(bool, drawn)) < 330
    some, same = (MarkerDelay(20, 0.5, seed=7) for _ in range(2))
    assert [some.of_next_ms() for _ in range(9)] == [same.of_next_ms() for _ in range(9)]


def test_a_delay_is_part_of_the_state() -> None:
    held = HeldEndings()
    held.delay = MarkerDelay(20, 0.5)
    assert held.as_text() == ["delays markers by 20 ms, probability 0.5"]
