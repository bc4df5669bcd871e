"""Keys come in the order of their deadlines, once, and never later than was asked for."""

import random

from mockbroker.state.deadlines import Deadlines


def due(deadlines: Deadlines[str], now_ms: int) -> list[str]:
    keys: list[str] = []
    while (key := deadlines.pop_due(now_ms)) is not None:
        keys.append(key)
    return keys


def test_keys_come_in_the_order_of_their_deadlines() -> None:
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


def test_a_key_that_was_popped_does_not_come_again() -> None:
    deadlines = Deadlines[str]()
    deadlines.watch("a", 10)
    assert due(deadlines, 10) == ["a"]
    assert due(deadlines, 99) == []


def test_a_deadline_is_brought_forward_but_not_put_off() -> None:
    deadlines = Deadlines[str]()
    deadlines.watch("a", 10)
    deadlines.watch("a", 20)
    deadlines.watch("b", 20)
    deadlines.watch("b", 10)
    assert due(deadlines, 10) == ["a", "b"]
    assert due(deadlines, 99) == []


def test_a_key_that_is_forgotten_does_not_come() -> None:
    deadlines = Deadlines[str]()
    deadlines.watch("a", 10)
    deadlines.forget("a")
    deadlines.forget("never watched")
    assert due(deadlines, 99) == []


def test_a_key_may_come_back_after_it_was_forgotten() -> None:
    deadlines = Deadlines[str]()
    deadlines.watch("a", 10)
    deadlines.forget("a")
    deadlines.watch("a", 10)
    assert due(deadlines, 10) == ["a"]
    assert due(deadlines, 10) == []


def test_what_is_forgotten_does_not_fill_the_heap() -> None:
    deadlines = Deadlines[str]()
    for round_number in range(10_000):
        deadlines.watch("a", 1_000_000 - round_number)
    assert len(deadlines) == 1
    assert deadlines.entry_count < 100
    assert due(deadlines, 1_000_000) == ["a"]


def test_many_keys_come_sorted_whatever_happened_before() -> None:
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
