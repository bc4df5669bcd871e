"""Outcomes of experiments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from mockbroker.exploration.experiment import ANSWERED, Experiment
from mockbroker.exploration.points import SeenCall
from mockbroker.exploration.search.repetition import ONCE, RepeatedRuns
from mockbroker.report.failure_page import FailedCluster

_NUMBER: Final = re.compile(r"\d+")
Kind = Literal["survived", "tolerated", "stopped", "broken", "not reached", "refused"]


def without_numbers(reason: str) -> str:
    """Return why something failed, as text that is the same for two failures of one cause."""
    return _NUMBER.sub("#", reason)


@dataclass(frozen=True, slots=True)
class ExperimentOutcome:
    """What became of an experiment."""

    experiment: Experiment
    kind: Kind
    """`tolerated` and `stopped`: the program failed, as it may or not, and what it stored is right.
    `broken`: an assertion does not hold, the records differ, or the program did not end. `refused`:
    the cluster cannot do it."""
    reasons: tuple[str, ...]
    """Why it is not `survived`."""
    took_s: float
    failed_runs: int = 0
    """Number of runs that failed, among `runs`, of an experiment that failed."""
    runs: int = 1
    shown: FailedCluster | None = None
    """What a page shows of the cluster after a failed run."""
    learned: tuple[SeenCall, ...] = ()
    """Calls after the fault that the run without faults has not, or in another situation."""
    same_as: str | None = None
    """Name of another experiment that fails in the same way, and stands for this one."""

    @property
    def is_failure(self) -> bool:
        """True if the program stopped, or something is broken."""
        return self.kind in {"stopped", "broken"}

    @property
    def cause(self) -> tuple[str, ...]:
        """Why it failed, without numbers: two failures with the same text may be one bug."""
        return self.kind, *(without_numbers(each) for each in self.reasons)

    @property
    def is_flaky(self) -> bool:
        """True if it failed in some of its runs only."""
        return self.repetition.is_flaky

    @property
    def repetition(self) -> RepeatedRuns:
        """How often it failed, among its runs."""
        return RepeatedRuns(self.failed_runs, self.runs)

    def repeated(self, again: Sequence["ExperimentOutcome"]) -> "ExperimentOutcome":
        """Return the outcome with the numbers of its runs, given those that repeated it."""
        if not self.is_failure:
            return self
        repetition = ONCE.and_again(each.is_failure for each in again)
        return replace(self, **repetition._asdict())

    def as_json(self) -> dict[str, Any]:
        """Return the document of the outcome."""
        point = self.experiment.point
        return {
            "name": self.experiment.name,
            "api": point.api.title,
            "client_id": point.client_id,
            "owner": None if point.owner is None else {point.owner[0]: point.owner[1]},
            "number": point.number,
            "state": self.experiment.state or None,
            "effect": self.experiment.effect,
            "outcome": self.kind,
            "reasons": list(self.reasons),
            "took_s": round(self.took_s, 3),
            "failed_runs": self.failed_runs,
            "runs": self.runs,
            "same_as": self.same_as,
            "faults": [each.name for each in self.experiment.parts] or [self.experiment.name],
        }


def with_same_failures(outcomes: Sequence[ExperimentOutcome]) -> list[ExperimentOutcome]:
    """Let the first place stand for all where the same effect fails in the same way.

    All errors of an answer are the same effect here: most programs make no difference.
    """

    def alike(outcome: ExperimentOutcome) -> tuple[object, ...]:
        effect, _with, _error = outcome.experiment.effect.partition(ANSWERED)
        return outcome.cause, effect, outcome.experiment.point[:-1]

    first: dict[object, ExperimentOutcome] = {}
    failed = (each for each in outcomes if each.is_failure)
    for each in sorted(failed, key=lambda each: each.experiment.point.number):
        first.setdefault(alike(each), each)
    return [
        replace(each, same_as=stands.experiment.name)
        if each.is_failure and (stands := first[alike(each)]) is not each
        else each
        for each in outcomes
    ]
