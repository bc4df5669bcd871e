"""Tasks by role, and their text."""

from mockbroker.state.group.streams.tasks import (
    NO_TASKS,
    AssignedTasks,
    TasksTuple,
    tasks_as_text,
)


def test_the_text_of_tasks_does_not_depend_on_their_order() -> None:
    one = TasksTuple({"1": frozenset({2, 0}), "0": frozenset({1})}, warmup={"1": frozenset({3})})
    other = TasksTuple({"0": frozenset({1}), "1": frozenset({0, 2})}, {}, {"1": frozenset({3})})
    assert tasks_as_text(one) == tasks_as_text(other) == "active 0:[1], 1:[0, 2] warmup 1:[3]"
    assert tasks_as_text(NO_TASKS) == ""


def test_active_tasks_are_shown_with_their_epochs() -> None:
    assigned = AssignedTasks({"0": {1: 4, 0: 3}}, {"0": frozenset({2})})
    assert tasks_as_text(assigned) == "active 0:[(0, 3), (1, 4)] standby 0:[2]"
    assert tasks_as_text(assigned.with_epochs_at_zero()) == (
        "active 0:[(0, 0), (1, 0)] standby 0:[2]"
    )
