import pytest

from mockbroker.state.group.streams.assignor.java_priority_queue import JavaPriorityQueue


@pytest.mark.parametrize(
    ("added", "polled"),
    [
        ([("a", 1)], "a"),
        ([("a", 3), ("b", 1), ("c", 2)], "bca"),
        ([("a", 1), ("b", 1), ("c", 1), ("d", 1)], "adcb"),
        ([("a", 2), ("b", 1), ("c", 1), ("d", 2), ("e", 1)], "becda"),
    ],
)
def test_equal_entries_come_in_javas_order(added: list[tuple[str, int]], polled: str) -> None:
    queue = JavaPriorityQueue[tuple[str, int]](lambda entry: entry[1])
    for entry in added:
        queue.add(entry)
    assert "".join(queue.poll()[0] for _ in range(len(queue))) == polled
