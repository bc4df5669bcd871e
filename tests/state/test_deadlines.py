"""Keys are popped once, in the order of their deadlines."""

import random

from mockbroker.state.deadlines import Deadlines


def due(deadlines: Deadlines[str], now_ms: int) -> list[str]:
    keys: list[str] = []
    while (key := deadlines.pop_due(now_ms)) is not None:
        keys.append(key)
    return keys


def test_keys_are_popped_in_the_order_of_their_deadlines() -> None:
    deadlines = Deadlines[str]()
    for key, deadline_ms in [("c", 30), ("a", 10), ("b", 20)]:
        deadlines.watch(key, deadline_ms)
    assert due(deadlines, 20) == ["a", "b"]
    assert len(deadlines) == 1


def test_the_next_deadline_is_the_earliest_that_is_left() -> None:
    deadlines = Deadlines[str]()
    assert deadlines.next_deadline_ms() is None
    deadlines.watch("a", 10)
    deadlines.watch("b", 20)
    assert deadlines.next_deadline_ms() == 10
    deadlines.forget("a")
    assert deadlines.next_deadline_ms() == 20
    assert due(deadlines, 20) == ["b"]
    assert deadlines.next_deadline_ms() is None


def test_a_popped_key_is_not_popped_again() -> None:
    deadlines = Deadlines[str]()
    deadlines.watch("a", 10)
    assert due(deadlines, 10) == ["a"]
    assert due(deadlines, 99) == []


def test_a_deadline_is_brought_forward_but_not_postponed() -> None:
    deadlines = Deadlines[str]()
    deadlines.watch("a", 10)
    deadlines.watch("a", 20)
    deadlines.watch("b", 20)
    deadlines.watch("b", 10)
    assert due(deadlines, 10) == ["a", "b"]
    assert due(deadlines, 99) == []


def test_a_forgotten_key_is_not_popped() -> None:
    deadlines = Deadlines[str]()
    deadlines.watch("a", 10)
    deadlines.forget("a")
    deadlines.forget("never watched")
    assert due(deadlines, 99) == []


def test_a_forgotten_key_may_be_watched_again() -> None:
    deadlines = Deadlines[str]()
    deadlines.watch("a", 10)
    deadlines.forget("a")
    deadlines.watch("a", 10)
    assert due(deadlines, 10) == ["a"]
    assert due(deadlines, 10) == []


def test_forgotten_keys_do_not_fill_the_heap() -> None:
    deadlines = Deadlines[str]()
    for round_number in range(10_000):
        deadlines.watch("a", 1_000_000 - round_number)
    assert len(deadlines) == 1
    assert deadlines.entry_count < 100
    assert due(deadlines, 1_000_000) == ["a"]


def test_many_keys_are_popped_in_order_after_any_history() -> None:
    source = random.Random(7)
    deadlines, expected = Deadlines[str](), dict[str, int]()
    for _ in range(5_000):
        key, deadline_ms = f"key-{source.randrange(300)}", source.randrange(1_000)
        if source.random() < 0.2:
            deadlines.forget(key)
            expected.pop(key, None)
        else:
            deadlines.watch(key, deadline_ms)
            expected[key] = min(deadline_ms, expected.get(key, deadline_ms))
    assert due(deadlines, 1_000) == [
        key for _, key in sorted((deadline_ms, key) for key, deadline_ms in expected.items())
    ]
