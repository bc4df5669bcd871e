"""Exploration: the run without faults, the plan, and a run for each experiment."""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mockbroker.cluster import Cluster
from mockbroker.control.cluster_options import ClusterOptions
from mockbroker.events.progress_bar import Advance, progress_bar
from mockbroker.exploration.done_runs import DoneRuns
from mockbroker.exploration.laboratory import Baseline, Laboratory, Start
from mockbroker.exploration.outcome import ExperimentOutcome, with_same_failures
from mockbroker.exploration.pairs import Pairs
from mockbroker.exploration.plan import planned
from mockbroker.exploration.programs import FunctionProgram, Program
from mockbroker.exploration.report import Report
from mockbroker.exploration.rules import RULES, Effort, Rules
from mockbroker.exploration.runs import Runs
from mockbroker.exploration.shrinking import Shrinking
from mockbroker.journal.options import journal_options
from mockbroker.settings.duration import Duration


def explore(
    program: Callable[[Any], object],
    *,
    budget: Duration = "10m",
    pairs: Duration | None = None,
    seed: int = 0,
    jobs: int = 1,
    output: str | Path | None = None,
    resume: bool = False,
    **options: Any,
) -> Report:
    """Run a function, then run it again with another fault at one of its calls each time.

    `program` takes a cluster, uses it with a client, and returns; an exception is its failure.
    `options` are those of `Cluster`, and these. After each run `assertions` must hold, and the
    committed records of `same_topics` must be those of the run without faults; so must be what
    `same_result`, a function that takes the cluster, returns. Failures of the program are
    `tolerated` if their text (`KafkaError: *fenced*`) matches one of these. A run ends after its
    `timeout`. A failed experiment is run again (`repeats`, 2). There are `only` the experiments
    with such names (`Produce *: the answer is lost`).

    The exploration ends after its `budget`; with `pairs`, two faults at once are tried for that
    time afterwards. Its plan follows from the `seed`.

    With `jobs` the function runs in several threads at once, each with its own cluster. The folder
    `output` gets the report, and during the exploration what was done; with `resume` an exploration
    that was interrupted goes on from there.

    Raises:
        AssertionError: the program fails, or an assertion does not hold, without any fault.
        OSError: the folder cannot be written.
        RuntimeError: the journal that `options` ask for cannot hold the run without faults.
        ValueError: an option, an assertion or a duration does not exist, there are no `jobs`, the
            journal has a folder, or `output` has another exploration or is missing.

    """
    rules = Rules(**{name: options.pop(name) for name in RULES if name in options})
    given = ClusterOptions().but(options)
    journal = journal_options(given.journal)
    if journal is not None and journal.path is not None:
        raise ValueError(f"journal={str(journal.path)!r}: each run has one of its own, in memory")
    effort = Effort(budget=budget, pairs=pairs, seed=seed, jobs=jobs, folder=output, resumes=resume)
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
        self._start: Final = start
        self._rules: Final = rules

    def run(self, effort: Effort) -> Report:
        """Run the program without faults, then once for each experiment; see `explore`.

        Raises:
            AssertionError: the program fails, or an assertion does not hold, without any fault.
            OSError: the program cannot be started, or the folder cannot be written.
            ValueError: the folder has another exploration.

        """
        ends_s = time.monotonic() + effort.budget_s
        learns = effort.pairs_s > 0
        laboratory = Laboratory(self._program, self._start, self._rules, learns=learns)
        baseline = laboratory.run_without_faults()
        done = DoneRuns(effort.folder, self._asked(effort, baseline), resumes=effort.resumes)
        runs = Runs(laboratory, done, effort.jobs)
        plan = planned(baseline, self._rules, effort.seed)
        with _bar("exploring", len(plan), effort) as advance:
            outcomes = runs.outcomes(plan, ends_s, runs.outcome, advance)
        report = Report(
            outcomes=self._repeated(runs, with_same_failures(outcomes), ends_s),
            left=plan[len(outcomes) :],
            seed=effort.seed,
            took_s=baseline.took_s,
            cluster=baseline.cluster,
            expectations=[*self._rules.assertions, *baseline.expected_records()],
            program=self._program,
            without_fault=baseline.shown,
        )
        return self._with_pairs(report, runs, baseline, effort) if learns else report

    def _with_pairs(self, report: Report, runs: Runs, baseline: Baseline, effort: Effort) -> Report:
        """Try two faults at once, and shrink what fails."""
        ends_s = time.monotonic() + effort.pairs_s
        pairs = Pairs(baseline, report.outcomes, self._rules, effort.seed)
        shrinking = Shrinking(runs, baseline, self._rules.repeats)
        total = len(pairs.new) + pairs.known_count
        with _bar("exploring pairs", total, effort) as advance:
            outcomes = runs.outcomes(pairs, ends_s, shrinking.outcome, advance)
        return replace(
            report,
            outcomes=[*report.outcomes, *outcomes],
            new_pair_count=len(pairs.new),
            known_pair_count=pairs.known_count,
        )

    def _asked(self, effort: Effort, baseline: Baseline) -> dict[str, Any]:
        """Return what the outcomes follow from: those of another exploration are not used."""
        return {
            "program": self._program.about,
            "seed": effort.seed,
            "cluster": baseline.cluster,
            "learns": effort.pairs_s > 0,
            **self._rules.as_json(),
        }

    def _repeated(
        self, runs: Runs, outcomes: Sequence[ExperimentOutcome], ends_s: float
    ) -> list[ExperimentOutcome]:
        """Run failed experiments again, while there is time."""
        again = [
            (each.experiment, number)
            for each in outcomes
            if each.is_failure and each.same_as is None
            for number in range(1, self._rules.repeats + 1)
        ]
        repeated: dict[str, list[ExperimentOutcome]] = defaultdict(list)
        for each in runs.outcomes(again, ends_s, lambda given: runs.outcome(*given)):
            repeated[each.experiment.name].append(each)
        return [each.repeated(repeated[each.experiment.name]) for each in outcomes]


def _bar(label: str, total: int, effort: Effort) -> AbstractContextManager[Advance]:
    return progress_bar(label, total, "experiments", is_wanted=effort.shows_progress)
