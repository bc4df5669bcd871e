"""A failure is reduced step by step, within a number of runs."""

from collections.abc import Callable, Iterator

from mockbroker.exploration.search.reduction import Reduced, smallest

Items = frozenset[int]


def without_one(items: Items) -> Iterator[Reduced[Items]]:
    """Yield sets without one of the items."""
    for each in sorted(items):
        less = items - {each}
        yield Reduced(each, str(sorted(less)), less)


class Runs:
    """Runs that fail if a test says so, and are counted."""

    def __init__(self, fails: Callable[[Items], bool]) -> None:
        self.fails = fails
        self.done: list[Items] = []

    def __call__(self, items: Items) -> Items | None:
        self.done.append(items)
        return items if self.fails(items) else None


def test_what_a_failure_does_not_need_is_left_out() -> None:
    runs = Runs({2, 5}.issubset)
    assert smallest(frozenset(range(8)), without_one, runs, runs_max=100) == {2, 5}
    assert len(runs.done) == len(set(runs.done)), "no input runs twice"


def test_a_step_that_failed_is_tried_again_with_a_smaller_failure() -> None:
    runs = Runs(lambda items: 1 in items and (3 not in items or 0 in items))
    assert smallest(frozenset({0, 1, 3}), without_one, runs, runs_max=100) == {1}
    assert runs.done[0] == {1, 3}, "0 is needed while 3 is there"


def test_the_number_of_runs_is_limited() -> None:
    runs = Runs(lambda _items: True)
    assert smallest(frozenset(range(8)), without_one, runs, runs_max=3) == {3, 4, 5, 6, 7}
    assert len(runs.done) == 3


def test_a_failure_that_needs_everything_stays() -> None:
    assert smallest(frozenset({1, 2}), without_one, Runs(lambda _: False), runs_max=9) == {1, 2}
