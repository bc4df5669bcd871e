"""Laboratory: runs a program without faults, and under experiments, each on a new cluster."""

import json
import reprlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import dropwhile, zip_longest
from typing import Any, Final, NamedTuple

from mockbroker.audit.finding import Finding
from mockbroker.broker.stored_records import StoredRecord
from mockbroker.broker.value_matching import fits
from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.control.assertions.failure_report import failed_cluster
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration.experiment import FAULT, LONG, Experiment
from mockbroker.exploration.outcome import ExperimentOutcome, Kind
from mockbroker.exploration.points import Point, SeenCall, calls_of
from mockbroker.exploration.programs import Program, name_of
from mockbroker.exploration.rules import Rules
from mockbroker.journal.options import JournalOptions
from mockbroker.report.failure_page import FailedCluster
from mockbroker.scenario.reading import scenario_of
from mockbroker.scenario.recording import record
from mockbroker.scenario.scenario_run import ScenarioRun
from mockbroker.state.config.broker_security_configs import AUTHORIZER_CLASS
from mockbroker.timeline.timeline import count_text

_SLOWER: Final = 20
"""A run ends within this multiple of the run without faults, if no timeout is given."""
_TIMEOUT_MIN_S: Final = 10.0
_ENTRIES_MAX: Final = 10_000_000
"""Entries of the run without faults: all are needed, to count its calls."""
_UNREACHED: Final = "this run did not reach the experiment: the program may fail without it"

Start = Callable[[], AbstractContextManager[ClusterHandle]]
"""Starts a cluster."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Baseline:
    """What the run without faults left behind."""

    calls: Sequence[SeenCall]
    broker_count: int
    took_s: float
    cluster: dict[str, Any]
    """The cluster, as a scenario has it."""
    results: Mapping[str, Counter[bytes | None]]
    """The committed records of each compared topic."""
    shown: FailedCluster
    """What a page shows of the cluster."""

    @property
    def has_authorizer(self) -> bool:
        """True if ACLs decide what clients may do."""
        return bool(self.cluster.get("config", {}).get(AUTHORIZER_CLASS))

    def expected_records(self) -> Iterator[dict[str, Any]]:
        """Yield the comparison of each topic, if its records are texts, as a scenario has it."""
        for topic, records in self.results.items():
            values = [value for value in records.elements() if value is not None]
            if len(values) == records.total():
                with suppress(UnicodeDecodeError):
                    texts = [value.decode() for value in values]
                    yield {"exactly-once": {"topic": topic, "expected": texts}}


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
    """What a page shows of the cluster; None if the run did not fail, or is not drawn."""
    learned: tuple[SeenCall, ...]


class Laboratory:
    """Runs of one program. Several may take place at the same time."""

    def __init__(
        self, program: Program, start: Start, rules: Rules, *, learns: bool = False
    ) -> None:
        """Take the program, what starts a cluster for each run, and what must hold.

        With `learns` the calls of each run are compared with those of the run without faults.
        """
        self._program: Final = program
        self._start: Final = start
        self._rules: Final = rules
        self._timeout_s = rules.timeout_s or _TIMEOUT_MIN_S * _SLOWER
        self._learns: Final = learns
        self._results: Mapping[str, Counter[bytes | None]] = {}
        self._result: object = None
        self._points: frozenset[Point] = frozenset()
        self._situations: frozenset[object] = frozenset()

    def run_without_faults(self) -> Baseline:
        """Run the program once; the experiments are compared with this run.

        Raises:
            AssertionError: the program fails, or an assertion does not hold.
            OSError: the program cannot be started.
            RuntimeError: the journal does not hold all of the run.

        """
        with self._start() as cluster:
            if not cluster.journal.is_on:
                cluster.journal.start(JournalOptions(entries_max=_ENTRIES_MAX))
            begun_s = time.monotonic()
            failure, reasons = self._run_program(cluster)
            took_s = time.monotonic() - begun_s
            reasons += [*([failure] if failure else []), *self._broken(cluster)[0]]
            if not reasons:
                self._result, problem = self._result_of(cluster)
                reasons += [problem] if problem else []
            if reasons:
                raise AssertionError("it fails without a fault: " + "\n".join(reasons))
            self._results = self._results_of(cluster)
            baseline = Baseline(
                calls=calls_of(cluster.journal.complete_entries()),
                broker_count=len(cluster.brokers),
                took_s=took_s,
                cluster=record(cluster).document["cluster"],
                results=self._results,
                shown=failed_cluster(cluster, (), ""),
            )
        self._points = frozenset(each.point for each in baseline.calls)
        self._situations = frozenset(each.situation for each in baseline.calls)
        if self._rules.timeout_s is None:
            self._timeout_s = max(took_s * _SLOWER, _TIMEOUT_MIN_S)
        return baseline

    def run(self, experiment: Experiment, *, is_drawn: bool) -> ExperimentOutcome:
        """Run the program under an experiment; a failure `is_drawn` for its page, or not."""
        run = self._run(experiment, is_drawn=is_drawn)
        kind, reasons = self._judged(run)
        return ExperimentOutcome(
            experiment, kind, reasons, run.took_s, shown=run.shown, learned=run.learned
        )

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

    def _run(self, experiment: Experiment, *, is_drawn: bool) -> _Run:
        scenario = scenario_of(json.dumps(experiment.scenario()), f"{FAULT}.json")
        begun_s = time.monotonic()
        with self._start() as cluster:
            learns = self._learns and not experiment.parts
            if learns and not cluster.journal.is_on:
                cluster.journal.start(JournalOptions(entries_max=_ENTRIES_MAX))
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
            hits = _hits(cluster, experiment)
            learned = self._learned(cluster, experiment.point) if learns else ()
            took_s = time.monotonic() - begun_s
            is_drawn = is_drawn and (program is not None or bool(broken))
            text = "\n".join(broken)
            shown = failed_cluster(cluster, findings, text) if is_drawn else None
            if steps.is_waiting_in_vain:
                problem, hits = None, 0
        refusal = None if problem is None or not hits else str(problem)
        return _Run(program, broken, hits, refusal, took_s, shown, learned)

    def _learned(self, cluster: ClusterHandle, point: Point) -> tuple[SeenCall, ...]:
        """Return the calls after a point that are new, or in a new situation."""
        try:
            calls = calls_of(cluster.journal.complete_entries())
        except RuntimeError:  # it took more than the run without faults
            return ()
        return tuple(
            each
            for each in dropwhile(lambda call: call.point != point, calls)
            if each.point != point
            and (each.point not in self._points or each.situation not in self._situations)
        )

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

    def _result_of(self, cluster: ClusterHandle) -> tuple[object, str | None]:
        """Return the result that is compared, and why there is none."""
        read = self._rules.same_result
        if read is None:
            return None, None
        try:
            return read(cluster), None
        except OSError:
            raise
        except Exception as failure:  # noqa: BLE001 - told as a result of the run
            return None, f"{name_of(read)}: {type(failure).__name__}: {failure}"

    def _differences(self, cluster: ClusterHandle) -> list[str]:
        found, problem = self._result_of(cluster)
        if problem is not None:
            return [*self._missing_records(cluster), problem]
        if found == self._result:
            return self._missing_records(cluster)
        assert self._rules.same_result is not None
        told = f"{name_of(self._rules.same_result)}: {difference(self._result, found)}"
        return [*self._missing_records(cluster), told]

    def _missing_records(self, cluster: ClusterHandle) -> list[str]:
        return [
            f"{topic}: {count_text((before - found).total(), 'record')} missing,"
            f" {count_text((found - before).total(), 'record')} too many"
            for topic, found in self._results_of(cluster).items()
            if found != (before := self._results[topic])
        ]


def difference(before: object, found: object) -> str:
    """Tell two results apart: by the first line that differs, if both are texts."""
    if isinstance(before, str) and isinstance(found, str):
        lines = zip_longest(before.splitlines(), found.splitlines())
        for number, (one, other) in enumerate(lines, 1):
            if one != other:
                return f"line {number} is {_shown(other)}, and without faults {_shown(one)}"
    return f"it is {_shown(found)}, and without faults {_shown(before)}"


def _shown(result: object) -> str:
    return "missing" if result is None else reprlib.repr(result)


def _hits(cluster: ClusterHandle, experiment: Experiment) -> int:
    """Return how often the faults of an experiment fired: the one that fired least."""
    hits = {each.name: each.hits for each in cluster.faults}
    return min(hits.get(name, 0) for name in experiment.fault_ids)


def _release_all(cluster: ClusterHandle) -> None:
    """Let held requests arrive: without a step that cannot be done, or after the program ended."""
    for fault in cluster.faults:
        fault.release()


def _committed(cluster: ClusterHandle, topic: str) -> Sequence[StoredRecord]:
    try:
        return cluster.records(topic, isolation="read_committed")
    except LookupError:  # this run created no such topic
        return ()
