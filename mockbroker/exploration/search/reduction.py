"""Reduction of a failure: the smallest input that still fails in the same way.

Exploration reduces pairs of faults, and the simulations of the tests reduce their plans.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

FailureT = TypeVar("FailureT")
InputT = TypeVar("InputT")


class Reduced(NamedTuple, Generic[InputT]):
    """A smaller input."""

    step: Hashable
    """What was left out or made simpler; the same step may be possible for many inputs."""
    name: str
    """Name of the input: an input is run once."""
    input: InputT


def smallest(
    failure: FailureT,
    reduced: Callable[[FailureT], Iterable[Reduced[InputT]]],
    run: Callable[[InputT], FailureT | None],
    *,
    runs_max: int,
) -> FailureT:
    """Return the smallest failure that is found within a number of runs.

    `run` returns a failure if it is the same as the first one. Each step is tried once with the
    smallest failure so far, in the given order; after all steps those that failed before are tried
    again, if the failure has become smaller since.
    """
    names: set[str] = set()
    steps: set[Hashable] = set()
    is_smaller = False
    while True:
        for each in reduced(failure):
            if each.step in steps or each.name in names:
                continue
            if len(names) == runs_max:
                return failure
            steps.add(each.step)
            names.add(each.name)
            found = run(each.input)
            if found is not None:
                failure, is_smaller = found, True
                break
        else:
            if not is_smaller:
                return failure
            steps.clear()
            is_smaller = False
