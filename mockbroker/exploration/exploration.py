"""Exploration: the run without faults, the plan, and a run for each experiment."""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from mockbroker.audit.finding import Finding
from mockbroker.broker.stored_records import StoredRecord
from mockbroker.broker.value_matching import fits
from mockbroker.cluster import Cluster
from mockbroker.control.assertion_table import AssertionRow, find_assertion
from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.control.assertions.failure_report import failed_cluster
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.cluster_options import ClusterOptions
from mockbroker.events.progress_bar import progress_bar
from mockbroker.exploration.experiment import FAULT, LONG, Experiment, experiments_at
from mockbroker.exploration.outcome import ExperimentOutcome, Kind
from mockbroker.exploration.points import calls_of
from mockbroker.exploration.programs import FunctionProgram, Program
from mockbroker.exploration.report import Report
from mockbroker.journal.options import JournalOptions, journal_options
from mockbroker.report.failure_page import FailedCluster
from mockbroker.scenario.reading import scenario_of
from mockbroker.scenario.recording import record
from mockbroker.scenario.scenario_run import ScenarioRun
from mockbroker.settings.duration import Duration, milliseconds
from mockbroker.timeline.timeline import count_text

MILLISECONDS: Final = 1000
ASSERTIONS: Final = ("exactly-once", "no-hanging-transactions")
"""What must hold after each run, unless others are given."""
BUDGET: Final = "10m"
_SLOWER: Final = 20
"""A run ends within this multiple of the run without faults, if no timeout is given."""
_TIMEOUT_MIN_S: Final = 10.0
_ENTRIES_MAX: Final = 10_000_000
"""Entries of the run without faults: all are needed, to count its calls."""
_UNREACHED: Final = "this run did not reach the experiment: the program may fail without it"

Start = Callable[[], AbstractContextManager[ClusterHandle]]
"""Starts a cluster."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """What must hold after each run."""

    assertions: Sequence[str] = ASSERTIONS
    """Assertions of a cluster, by name."""
    same_topics: Sequence[str] = ()
    """Topics whose committed records must be those of the run without faults, in any order."""
    tolerated: Sequence[str] = ()
    """Failures that the program may have, as texts with `*` and `?`."""
    timeout_s: float | None = None
    """Time for a run; by default 20 times that of the run without faults, and at least 10 s."""
    repeats: int = 2
    """How often a failed experiment is run again, to tell flaky failures."""
    only: Sequence[str] = ()
    """Names of the experiments to run, as texts with `*` and `?`; empty for all."""
    rows: Sequence[AssertionRow] = field(init=False)

    def __post_init__(self) -> None:
        """Find the assertions.

        Raises:
            ValueError: there is no such assertion, or it needs arguments.

        """
        rows = [find_assertion(name) for name in self.assertions]
        for row in rows:
            row.refuse_wrong({})
        object.__setattr__(self, "rows", rows)


class _Run(NamedTuple):
    """What one run left behind."""

    program: str | None
    """Why the program failed; None if it did not."""
    broken: list[str]
    """Rules that do not hold."""
    hits: int
    refusal: str | None
    """Why a step could not be done; None if all were."""
    took_s: float
    shown: FailedCluster | None
    """What a page shows of the cluster; None if the run did not fail."""


def explore(
    program: Callable[[Any], object],
    *,
    budget: Duration = BUDGET,
    seed: int = 0,
    timeout: Duration | None = None,
    assertions: Sequence[str] = ASSERTIONS,
    same_topics: Sequence[str] = (),
    tolerated: Sequence[str] = (),
    repeats: int = 2,
    only: Sequence[str] = (),
    **options: Any,
) -> Report:
    """Run a function, then run it again with another fault at one of its calls each time.

    `program` takes a cluster, uses it with a client, and returns; an exception is its failure.
    `options` are those of `Cluster`. After each run `assertions` must hold, and the committed
    records of `same_topics` must be those of the run without faults. Failures of the program are
    `tolerated` if their text (`KafkaError: *fenced*`) matches one of these. The exploration ends
    after its `budget`; a run ends after its `timeout`. Its plan follows from the `seed`, and has
    `only` the experiments with such names (`Produce *: the answer is lost`).

    Raises:
        AssertionError: the program fails, or an assertion does not hold, without any fault.
        RuntimeError: the journal that `options` ask for cannot hold the run without faults.
        ValueError: an option, an assertion or a duration does not exist, or the journal has a
            folder.

    """
    given = ClusterOptions().but(options)
    journal = journal_options(given.journal)
    if journal is not None and journal.path is not None:
        raise ValueError(f"journal={str(journal.path)!r}: each run has one of its own, in memory")
    rules = Rules(
        assertions=assertions,
        same_topics=same_topics,
        tolerated=tolerated,
        timeout_s=None if timeout is None else milliseconds(timeout) / MILLISECONDS,
        repeats=repeats,
        only=only,
    )
    exploration = Exploration(
        FunctionProgram(program), lambda: Cluster(**given.as_arguments()), rules
    )
    return exploration.run(budget_s=milliseconds(budget) / MILLISECONDS, seed=seed)


class Exploration:
    """One exploration of a program."""

    def __init__(self, program: Program, start: Start, rules: Rules) -> None:
        """Take the program, what starts a cluster for each run, and what must hold."""
        self._program: Final = program
        self._start: Final = start
        self._rules: Final = rules
        self._timeout_s = rules.timeout_s or _TIMEOUT_MIN_S * _SLOWER
        self._results: Mapping[str, Counter[bytes | None]] = {}
        self._cluster_document: dict[str, Any] = {}
        self._without_fault = FailedCluster(sections={})

    def run(self, *, budget_s: float, seed: int = 0, shows_progress: bool = False) -> Report:
        """Run the program without faults, then once for each experiment; see `explore`.

        Raises:
            AssertionError: the program fails, or an assertion does not hold, without any fault.
            OSError: the program cannot be started.

        """
        ends_s = time.monotonic() + budget_s
        plan, took_s = self._planned(seed)
        outcomes: list[ExperimentOutcome] = []
        bar = progress_bar("exploring", len(plan), "experiments", is_wanted=shows_progress)
        with bar as advance:
            for experiment in plan:
                if time.monotonic() >= ends_s:
                    break
                outcomes.append(self._outcome(experiment))
                advance(1)
        outcomes = [self._repeated(each, ends_s) for each in outcomes]
        return Report(
            outcomes=outcomes,
            left=plan[len(outcomes) :],
            seed=seed,
            took_s=took_s,
            cluster=self._cluster_document,
            expectations=[*self._rules.assertions, *self._expected_records()],
            program=self._program,
            without_fault=self._without_fault,
        )

    def _planned(self, seed: int) -> tuple[list[Experiment], float]:
        """Run the program without faults, and return the experiments in their order."""
        with self._start() as cluster:
            if not cluster.journal.is_on:
                cluster.journal.start(JournalOptions(entries_max=_ENTRIES_MAX))
            begun_s = time.monotonic()
            failure, reasons = self._run_program(cluster)
            took_s = time.monotonic() - begun_s
            reasons += [*([failure] if failure else []), *self._broken(cluster)[0]]
            if reasons:
                raise AssertionError("it fails without a fault: " + "\n".join(reasons))
            calls = calls_of(cluster.journal.complete_entries())
            broker_count = len(cluster.brokers)
            self._results = self._results_of(cluster)
            self._without_fault = failed_cluster(cluster, (), "")
            self._cluster_document = record(cluster).document["cluster"]
        if self._rules.timeout_s is None:
            self._timeout_s = max(took_s * _SLOWER, _TIMEOUT_MIN_S)
        found = [
            each
            for call in calls
            for each in experiments_at(call, broker_count=broker_count)
            if not self._rules.only or any(fits(text, each.name) for text in self._rules.only)
        ]
        return ordered(found, seed), took_s

    def _outcome(self, experiment: Experiment) -> ExperimentOutcome:
        run = self._run(experiment)
        kind, reasons = self._judged(run)
        return ExperimentOutcome(experiment, kind, reasons, run.took_s, shown=run.shown)

    def _repeated(self, outcome: ExperimentOutcome, ends_s: float) -> ExperimentOutcome:
        """Run a failed experiment again, while there is time."""
        if not outcome.is_failure:
            return outcome
        runs = [outcome]
        while len(runs) <= self._rules.repeats and time.monotonic() < ends_s:
            runs.append(self._outcome(outcome.experiment))
        return replace(outcome, runs=len(runs), failed_runs=sum(each.is_failure for each in runs))

    def _judged(self, run: _Run) -> tuple[Kind, tuple[str, ...]]:
        if run.refusal is not None:
            return "refused", (run.refusal,)
        told = () if run.program is None else (run.program,)
        unreached = () if run.hits else (_UNREACHED,)
        if run.broken:
            return "broken", (*told, *run.broken, *unreached)
        if run.program is not None:
            is_tolerated = any(fits(each, run.program) for each in self._rules.tolerated)
            return "tolerated" if is_tolerated else "stopped", (*told, *unreached)
        return ("survived" if run.hits else "not reached"), ()

    def _run(self, experiment: Experiment) -> _Run:
        scenario = scenario_of(json.dumps(experiment.scenario()), f"{FAULT}.json")
        begun_s = time.monotonic()
        with self._start() as cluster:
            steps = ScenarioRun(cluster, scenario, lambda _problem: _release_all(cluster))
            steps.make_faults()
            steps.begin()
            program, broken = self._run_program(cluster)
            problem = steps.finish()
            _release_all(cluster)
            if program is not None:
                with suppress(RuntimeError):  # a clock that cannot jump
                    cluster.clock.advance(LONG)  # coordinators abort what it left open
            told, findings = self._broken(cluster)
            broken += told
            if program is None and not broken:
                broken += self._differences(cluster)
            hits = next((each.hits for each in cluster.faults if each.name == FAULT), 0)
            is_failed = program is not None or bool(broken)
            text = "\n".join(broken)
            shown = failed_cluster(cluster, findings, text) if is_failed else None
            if steps.is_waiting_in_vain:
                problem, hits = None, 0
        refusal = None if problem is None or not hits else str(problem)
        return _Run(program, broken, hits, refusal, time.monotonic() - begun_s, shown)

    def _run_program(self, cluster: ClusterHandle) -> tuple[str | None, list[str]]:
        """Return why the program failed, and that it did not end."""
        try:
            return self._program.run(cluster, self._timeout_s), []
        except TimeoutError:
            return None, [f"it did not end within {self._timeout_s:.0f} s"]

    def _broken(self, cluster: ClusterHandle) -> tuple[list[str], list[Finding]]:
        """Return the assertions that do not hold, with their reasons and their findings."""
        broken: list[str] = []
        findings: list[Finding] = []
        for row in self._rules.rows:
            try:
                row.check(cluster, {})
            except (AssertionError, LookupError) as error:
                broken.append(f"{row.word}: {error.args[0]}")
                if isinstance(error, ClusterAssertionError):
                    findings += error.findings
        return broken, findings

    def _results_of(self, cluster: ClusterHandle) -> dict[str, Counter[bytes | None]]:
        return {
            topic: Counter(each.value for each in _committed(cluster, topic))
            for topic in self._rules.same_topics
        }

    def _expected_records(self) -> Iterator[dict[str, Any]]:
        """Yield the comparison of each topic, if its records are texts, as a scenario has it."""
        for topic, records in self._results.items():
            values = [value for value in records.elements() if value is not None]
            if len(values) == records.total():
                with suppress(UnicodeDecodeError):
                    texts = [value.decode() for value in values]
                    yield {"exactly-once": {"topic": topic, "expected": texts}}

    def _differences(self, cluster: ClusterHandle) -> list[str]:
        return [
            f"{topic}: {count_text((before - found).total(), 'record')} missing,"
            f" {count_text((found - before).total(), 'record')} too many"
            for topic, found in self._results_of(cluster).items()
            if found != (before := self._results[topic])
        ]


def ordered(experiments: Iterable[Experiment], seed: int) -> list[Experiment]:
    """Order experiments: new kinds first, those that wait for timeouts last, else by chance."""
    seen: Counter[object] = Counter()
    ranked: list[tuple[bool, int, float, Experiment]] = []
    choice = random.Random(seed)
    for experiment in experiments:
        ranked.append((experiment.needs_time, seen[experiment.kind], choice.random(), experiment))
        seen[experiment.kind] += 1
    return [each for *_rank, each in sorted(ranked, key=lambda each: each[:3])]


def _release_all(cluster: ClusterHandle) -> None:
    """Let held requests arrive: without a step that cannot be done, or after the program ended."""
    for fault in cluster.faults:
        fault.release()


def _committed(cluster: ClusterHandle, topic: str) -> Sequence[StoredRecord]:
    try:
        return cluster.records(topic, isolation="read_committed")
    except LookupError:  # this run created no such topic
        return ()
