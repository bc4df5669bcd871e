"""Pairs of faults: which are tried first follows from what each fault did alone."""

import random
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Final

from mockbroker.exploration.effects import experiments_at
from mockbroker.exploration.experiment import SECOND, Experiment
from mockbroker.exploration.laboratory import Baseline
from mockbroker.exploration.outcome import ExperimentOutcome
from mockbroker.exploration.plan import is_wanted, ordered
from mockbroker.exploration.points import Point
from mockbroker.exploration.rules import Rules

PAIR: Final = "two faults"
_FAULT_NAMES: Final = frozenset({"id", "fault"})
"""Keys of a scenario whose values name a fault."""


def combined(first: Experiment, second: Experiment) -> Experiment:
    """Return the experiment that does both; the point of the second comes later in a run."""
    faults = [_second(each) for each in second.faults]
    return replace(
        second,
        effect=PAIR,
        faults=(*first.faults, *faults),
        steps=(*first.steps, *(_second(each) for each in second.steps)),
        needs_time=first.needs_time or second.needs_time,
        parts=(first, second),
    )


class Pairs:
    """The pairs of the experiments that the program survived one by one.

    First come pairs whose second point is reached only under the first fault, or in another
    situation than without it, as calls that repeat what the fault prevented. All others follow:
    their points are known. No pair comes twice.
    """

    def __init__(
        self,
        baseline: Baseline,
        singles: Sequence[ExperimentOutcome],
        rules: Rules,
        seed: int,
    ) -> None:
        """Take the run without faults and the outcomes of experiments with one fault."""
        survived = [each for each in singles if each.kind in {"survived", "tolerated"}]
        self._rules: Final = rules
        self._places: Final[Mapping[Point, int]] = {
            call.point: place for place, call in enumerate(baseline.calls)
        }
        self._firsts: Final = [each.experiment for each in survived]
        self.new: Final = ordered(self._new(baseline, survived), seed)
        """Pairs whose second point is in a situation that the first fault has made."""
        self._new_names: Final = frozenset(_names(each) for each in self.new)
        random.Random(seed).shuffle(self._firsts)

    def __iter__(self) -> Iterator[Experiment]:
        """Yield the pairs in their order."""
        yield from self.new
        for needs_time in (False, True):
            yield from self._known(needs_time=needs_time)

    @property
    def known_count(self) -> int:
        """Number of pairs whose points are known from the run without faults."""
        places = sorted(self._places[each.point] for each in self._firsts)
        count = sum(len(places) - bisect_right(places, place) for place in places)
        place_of = {each.name: self._places[each.point] for each in self._firsts}
        return count - sum(
            place_of[first] < place_of.get(second, -1) for first, second in self._new_names
        )

    def _new(
        self, baseline: Baseline, survived: Sequence[ExperimentOutcome]
    ) -> Iterator[Experiment]:
        for each in survived:
            seconds = (
                second
                for call in each.learned
                for second in experiments_at(
                    call, broker_count=baseline.broker_count, has_authorizer=baseline.has_authorizer
                )
            )
            first = each.experiment
            yield from (combined(first, second) for second in seconds if self._is_wanted(second))

    def _is_wanted(self, experiment: Experiment) -> bool:
        return is_wanted(experiment, self._rules)

    def _known(self, *, needs_time: bool) -> Iterator[Experiment]:
        """Yield pairs of known points: new kinds of pairs first."""
        done: set[object] = set(self._new_names)
        for is_kind_wanted in (True, False):
            for first, second in self._in_order(needs_time=needs_time):
                kind, name = (first.kind, second.kind), (first.name, second.name)
                if name in done or (is_kind_wanted and kind in done):
                    continue
                done |= {kind, name}
                yield combined(first, second)

    def _in_order(self, *, needs_time: bool) -> Iterator[tuple[Experiment, Experiment]]:
        """Yield what may be a pair: the second point comes after the first."""
        for first, second in product(self._firsts, repeat=2):
            is_later = self._places[first.point] < self._places[second.point]
            if is_later and (first.needs_time or second.needs_time) == needs_time:
                yield first, second


def _names(pair: Experiment) -> tuple[str, str]:
    first, second = pair.parts
    return first.name, second.name


def _second(given: Any) -> Any:
    """Return a fault or a step of the second experiment, whose faults have ids of their own."""
    if isinstance(given, Mapping):
        return {
            name: f"{value}{SECOND}"
            if name in _FAULT_NAMES and isinstance(value, str)
            else _second(value)
            for name, value in given.items()
        }
    return given
