"""Shrinking: the smallest set of faults that still fails, at the first place, of a plain kind."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from mockbroker.exploration.effects import experiments_at
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.laboratory import Baseline
from mockbroker.exploration.outcome import ExperimentOutcome
from mockbroker.exploration.pairs import combined
from mockbroker.exploration.points import Point, SeenCall
from mockbroker.exploration.runs import Runs
from mockbroker.exploration.search.reduction import Reduced, smallest

RUNS_MAX: Final = 24
"""Runs to shrink one failure."""
PLAIN: Final = ("the answer is lost", "the request is lost", "it arrives twice")
"""Effects that a reader understands at once."""


class Shrinking:
    """Shrinks failed pairs; failures of one cause are shrunk once."""

    def __init__(self, runs: Runs, baseline: Baseline, repeats: int) -> None:
        """Take what runs an experiment, the run without faults, and how often to repeat."""
        self._runs: Final = runs
        self._repeats: Final = repeats
        self._broker_count: Final = baseline.broker_count
        self._has_authorizer: Final = baseline.has_authorizer
        self._calls: Final[Mapping[Point, SeenCall]] = {each.point: each for each in baseline.calls}
        self._known: Final[dict[object, str]] = {}
        self._lock: Final = threading.Lock()

    def outcome(self, pair: Experiment) -> ExperimentOutcome:
        """Run a pair; one that fails is replaced by the smallest that fails in the same way.

        A failure that was shrunk before is the `same_as` that one.
        """
        found = self._runs.outcome(pair)
        if not found.is_failure:
            return found
        alike = (found.cause, *(each.effect for each in pair.parts))
        with self._lock:
            known = self._known.get(alike)
        if known is not None:
            return replace(found, same_as=known)
        found = self._smallest(found)
        again = [self._runs.outcome(found.experiment, number) for number in self._numbers]
        with self._lock:
            self._known[alike] = name = found.experiment.name
            known = self._known.setdefault(name, name)
            is_known = self._known.setdefault(("told", name), pair.name) != pair.name
        return replace(found.repeated(again), same_as=known if is_known else None)

    @property
    def _numbers(self) -> range:
        return range(1, self._repeats + 1)

    def _smallest(self, failure: ExperimentOutcome) -> ExperimentOutcome:
        def run(given: tuple[Experiment, int]) -> ExperimentOutcome | None:
            found = self._runs.outcome(*given, is_drawn=True)
            return found if found.is_failure and found.cause == failure.cause else None

        return smallest(failure, self._reduced, run, runs_max=RUNS_MAX)

    def _reduced(self, failure: ExperimentOutcome) -> Iterator[Reduced[tuple[Experiment, int]]]:
        """Yield smaller experiments with the numbers of their runs."""
        for experiment, number in self._smaller(failure.experiment):
            name = f"{number} {experiment.name}"
            yield Reduced(name, name, (experiment, number))

    def _smaller(self, experiment: Experiment) -> Iterator[tuple[Experiment, int]]:
        """Yield them in this order: a smaller set, an earlier place, a plainer kind."""
        if not experiment.parts:
            return
        for part in experiment.parts:
            # It did not fail alone, but may fail at times.
            yield from ((part, number) for number in self._numbers)
        first, second = experiment.parts
        for smaller in (self._earlier, self._plainer):
            yield from ((combined(each, second), 0) for each in smaller(first))
            yield from (
                (combined(first, each), 0) for each in smaller(second) if each.point != first.point
            )

    def _earlier(self, part: Experiment) -> Iterator[Experiment]:
        for number in range(1, part.point.number):
            call = self._calls.get(part.point._replace(number=number))
            for each in () if call is None else self._at(call):
                if each.effect == part.effect:
                    yield each

    def _plainer(self, part: Experiment) -> Iterator[Experiment]:
        call = self._calls.get(part.point)
        if call is None or part.effect in PLAIN:
            return
        yield from (each for each in self._at(call) if each.effect in PLAIN)

    def _at(self, call: SeenCall) -> Iterator[Experiment]:
        return experiments_at(
            call, broker_count=self._broker_count, has_authorizer=self._has_authorizer
        )
