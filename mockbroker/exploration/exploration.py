"""Exploration: the run without faults, the plan, and a run for each experiment."""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from mockbroker.cluster import Cluster
from mockbroker.control.cluster_options import ClusterOptions
from mockbroker.events.progress_bar import progress_bar
from mockbroker.exploration.done_runs import DoneRuns
from mockbroker.exploration.laboratory import Baseline, Laboratory, Start
from mockbroker.exploration.outcome import ExperimentOutcome
from mockbroker.exploration.plan import planned
from mockbroker.exploration.programs import FunctionProgram, Program
from mockbroker.exploration.report import Report
from mockbroker.exploration.rules import RULES, Effort, Rules
from mockbroker.exploration.runs import Runs
from mockbroker.journal.options import journal_options
from mockbroker.settings.duration import Duration


def explore(
    program: Callable[[Any], object],
    *,
    budget: Duration = "10m",
    seed: int = 0,
    jobs: int = 1,
    output: str | Path | None = None,
    resume: bool = False,
    **options: Any,
) -> Report:
    """Run a function, then run it again with another fault at one of its calls each time.

    `program` takes a cluster, uses it with a client, and returns; an exception is its failure.
    `options` are those of `Cluster`, and these. After each run `assertions` must hold, and the
    committed records of `same_topics` must be those of the run without faults. Failures of the
    program are `tolerated` if their text (`KafkaError: *fenced*`) matches one of these. A run ends
    after its `timeout`. A failed experiment is run again (`repeats`, 2). There are `only` the
    experiments with such names (`Produce *: the answer is lost`).

    The exploration ends after its `budget`. Its plan follows from the `seed`.

    With `jobs` the function runs in several threads at once, each with its own cluster. The folder
    `output` gets the report, and during the exploration what was done; with `resume` an exploration
    that was interrupted goes on from there.

    Raises:
        AssertionError: the program fails, or an assertion does not hold, without any fault.
        OSError: the folder cannot be written.
        RuntimeError: the journal that `options` ask for cannot hold the run without faults.
        ValueError: an option, an assertion or a duration does not exist, the journal has a
            folder, or `output` has another exploration.

    """
    rules = Rules(**{name: options.pop(name) for name in RULES if name in options})
    given = ClusterOptions().but(options)
    journal = journal_options(given.journal)
    if journal is not None and journal.path is not None:
        raise ValueError(f"journal={str(journal.path)!r}: each run has one of its own, in memory")
    effort = Effort(budget=budget, seed=seed, jobs=jobs, folder=output, resumes=resume)
    arguments = given.as_arguments()
    exploration = Exploration(FunctionProgram(program), lambda: Cluster(**arguments), rules)
    report = exploration.run(effort)
    if output is not None:
        report.write(output)
    return report


class Exploration:
    """One exploration of a program."""

    def __init__(self, program: Program, start: Start, rules: Rules) -> None:
        """Take the program, what starts a cluster for each run, and what must hold."""
        self._program: Final = program
        self._rules: Final = rules
        self._laboratory: Final = Laboratory(program, start, rules)

    def run(self, effort: Effort) -> Report:
        """Run the program without faults, then once for each experiment; see `explore`.

        Raises:
            AssertionError: the program fails, or an assertion does not hold, without any fault.
            OSError: the program cannot be started, or the folder cannot be written.
            ValueError: the folder has another exploration.

        """
        ends_s = time.monotonic() + effort.budget_s
        baseline = self._laboratory.run_without_faults()
        done = DoneRuns(effort.folder, self._asked(effort, baseline), resumes=effort.resumes)
        runs = Runs(self._laboratory, done, effort.jobs)
        plan = planned(baseline, self._rules, effort.seed)
        bar = progress_bar("exploring", len(plan), "experiments", is_wanted=effort.shows_progress)
        with bar as advance:
            outcomes = runs.outcomes([(each, 0) for each in plan], ends_s, advance)
        return Report(
            outcomes=self._repeated(runs, outcomes, ends_s),
            left=plan[len(outcomes) :],
            seed=effort.seed,
            took_s=baseline.took_s,
            cluster=baseline.cluster,
            expectations=[*self._rules.assertions, *baseline.expected_records()],
            program=self._program,
            without_fault=baseline.shown,
        )

    def _asked(self, effort: Effort, baseline: Baseline) -> dict[str, Any]:
        """Return what the outcomes follow from: those of another exploration are not used."""
        program = self._program.about
        rules = self._rules.as_json()
        return {"program": program, "seed": effort.seed, "cluster": baseline.cluster, **rules}

    def _repeated(
        self, runs: Runs, outcomes: Sequence[ExperimentOutcome], ends_s: float
    ) -> list[ExperimentOutcome]:
        """Run failed experiments again, while there is time."""
        again = [
            (each.experiment, number)
            for each in outcomes
            if each.is_failure
            for number in range(1, self._rules.repeats + 1)
        ]
        repeated: dict[str, list[ExperimentOutcome]] = defaultdict(list)
        for each in runs.outcomes(again, ends_s):
            repeated[each.experiment.name].append(each)
        return [each.repeated(repeated[each.experiment.name]) for each in outcomes]
