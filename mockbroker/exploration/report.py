"""Report of an exploration: a table, and the failures as scenarios, tests and JUnit XML."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args
from xml.etree import ElementTree as ET

from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.outcome import ExperimentOutcome, Kind
from mockbroker.exploration.programs import Program
from mockbroker.report.comparison_page import FailedExperiment, comparison_page
from mockbroker.report.failure_page import FailedCluster
from mockbroker.timeline.timeline import count_text

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_VERSION: Final = 1
_NOT_DONE: Final[frozenset[Kind]] = frozenset({"not reached", "refused"})
_LONG_S: Final = 5.0
"""A run that takes longer has waited for a timeout of the client."""
_POINTS_MAX: Final = 10
"""Number of points that the text names; `explore.json` has all."""
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no document may hold, also not escaped."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The outcomes of an exploration."""

    outcomes: Sequence[ExperimentOutcome]
    left: Sequence[Experiment]
    """Planned experiments for which no time was left."""
    seed: int
    took_s: float
    """Time of the run without faults."""
    cluster: dict[str, Any]
    """The cluster, as a scenario has it."""
    expectations: Sequence[Any]
    """What must hold after a run, as a scenario has it."""
    program: Program
    without_fault: FailedCluster
    """What a page shows of the cluster after the run without faults."""
    new_pair_count: int = 0
    """Number of pairs of faults whose second point the first one puts into another situation."""
    known_pair_count: int = 0
    """Number of all other pairs."""

    @property
    def failures(self) -> list[ExperimentOutcome]:
        """The outcomes that failed, one of each cause: first those with something broken."""
        failed = [each for each in self.outcomes if each.is_failure and each.same_as is None]
        return sorted(failed, key=lambda each: each.kind)

    @property
    def has_survived(self) -> bool:
        """True if no experiment failed, and at least one was done."""
        was_done = any(each.kind not in _NOT_DONE for each in self.outcomes)
        return was_done and not self.failures

    def assert_survived(self) -> None:
        """Check that no experiment failed, and that at least one was done.

        Raises:
            AssertionError: one failed, or none was done; the text has all of them.

        """
        __tracebackhide__ = True
        if not self.has_survived:
            raise AssertionError("\n".join(self.lines()))

    def lines(self) -> Iterator[str]:
        """Yield the report as text: a table by effect, and the failures."""
        counts = Counter((each.experiment.effect, each.kind) for each in self.outcomes)
        effects = sorted({effect for effect, _kind in counts})
        width = max((len(each) for each in effects), default=0)
        yield f"{'':{width}}  " + "  ".join(KINDS)
        for effect in effects:
            cells = (f"{counts[effect, kind] or '':>{len(kind)}}" for kind in KINDS)
            yield f"{effect:{width}}  " + "  ".join(cells).rstrip()
        totals = Counter(each.kind for each in self.outcomes)
        told = ", ".join(f"{totals[kind]} {kind}" for kind in KINDS if totals[kind])
        yield f"{len(self.outcomes)} experiments: {told or 'none'}"
        if self.outcomes and not self.failures and not self.has_survived:
            yield "no experiment was done: this says nothing about the program"
        if not self.outcomes and not self.left:
            yield "the program sends no request, or no experiment has a name that was asked for"
        yield from self._coverage()
        yield from self._unreached()
        for number, failure in enumerate(self.failures, 1):
            flaky = f" ({failure.repetition})" if failure.is_flaky else ""
            yield f"{number}. {failure.kind}{flaky}: {failure.experiment.name}"
            if more := sum(each.same_as == failure.experiment.name for each in self.outcomes):
                yield f"   and in the same way in {count_text(more, 'more experiment')}"
            for reason in failure.reasons:
                yield from (f"   {line}" for line in reason.splitlines())

    def _coverage(self) -> Iterator[str]:
        """Yield what was left, and what was known before."""
        if self.left:
            yield f"{len(self.left)} experiments were left when the budget was used"
        pairs = [each for each in self.outcomes if each.experiment.parts]
        if planned := self.new_pair_count + self.known_pair_count:
            yield (
                f"{len(pairs)} of {planned} pairs of faults were tried: {self.new_pair_count} in a"
                f" situation that the first fault makes, {self.known_pair_count} in known ones"
            )
        known = len(self.outcomes) - len({each.experiment.kind for each in self.outcomes})
        if known:
            told = count_text(known, "experiment")
            yield f"{told} repeated an effect in a situation that was known"
        waited_s = max((each.took_s for each in self.outcomes), default=0)
        if waited_s > _LONG_S:
            yield (
                f"the longest run took {waited_s:.0f} s: give the client shorter timeouts, such as"
                " request.timeout.ms, socket.timeout.ms and delivery.timeout.ms"
            )

    def _unreached(self) -> Iterator[str]:
        """Yield the points that no run reached again."""
        reached = {each.experiment.point for each in self.outcomes if each.kind != "not reached"}
        never = {each.experiment.point: None for each in self.outcomes}.keys() - reached
        for point in sorted(map(str, never))[:_POINTS_MAX]:
            yield f"never reached: {point}"
        if len(never) > _POINTS_MAX:
            yield f"never reached: {len(never) - _POINTS_MAX} more points"

    def as_json(self) -> dict[str, Any]:
        """Return the report as a document."""
        return {
            "version": _VERSION,
            "seed": self.seed,
            "took_s": round(self.took_s, 3),
            "outcomes": [each.as_json() for each in self.outcomes],
            "left": [each.name for each in self.left],
            "new_pairs": self.new_pair_count,
            "known_pairs": self.known_pair_count,
        }

    def scenario(self, outcome: ExperimentOutcome) -> dict[str, Any]:
        """Return the scenario that repeats an outcome."""
        about = "; ".join(reason.splitlines()[0] for reason in outcome.reasons)
        return {
            **outcome.experiment.scenario(),
            "about": about,
            "cluster": self.cluster,
            "expect": list(self.expectations),
        }

    def test(self, outcome: ExperimentOutcome, name: str) -> str | None:
        """Return a test of pytest that repeats an outcome, from the scenario file `name`.

        None if a test cannot import the program.
        """
        code = self.program.test_code(" " * 8)
        if code is None:
            return None
        imports, call = code
        about = json.dumps(outcome.experiment.name)[1:-1]  # client ids may hold quotes
        return (
            f'"""{about}."""\n\n{imports}'
            "from pathlib import Path\n\nfrom mockbroker import Cluster\n"
            "from mockbroker.scenario import read_scenario, running\n\n\n"
            "def test_it_survives() -> None:\n"
            f"    scenario = read_scenario(Path(__file__).with_name({name!r}))\n"
            "    cluster = Cluster(**scenario.cluster_arguments())\n"
            f"    with cluster, running(cluster, scenario):\n{call}"
        )

    def page(self, outcome: ExperimentOutcome) -> str:
        """Return a page of HTML: the partitions without the fault, and with it."""
        return comparison_page(
            FailedExperiment(
                name=outcome.experiment.name,
                reasons=outcome.reasons,
                without_fault=self.without_fault,
                with_fault=outcome.shown or FailedCluster(sections={}),
            )
        )

    def junit(self) -> str:
        """Return the outcomes as JUnit XML."""
        suite = ET.Element(
            "testsuite",
            name="mockbroker explore",
            tests=str(len(self.outcomes)),
            failures=str(len(self.failures)),
            skipped=str(sum(each.kind in _NOT_DONE for each in self.outcomes)),
        )
        for each in self.outcomes:
            case = ET.SubElement(
                suite,
                "testcase",
                classname=f"explore.{each.experiment.point.api.title}",
                name=each.experiment.name,
                time=f"{each.took_s:.3f}",
            )
            if each.is_failure:
                failure = ET.SubElement(case, "failure", message=each.reasons[0])
                failure.text = "\n".join(each.reasons)
            elif each.kind in _NOT_DONE:
                ET.SubElement(case, "skipped", message=each.kind)
        text = ET.tostring(suite, encoding="unicode", xml_declaration=True)
        return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)

    def write(self, folder: str | Path) -> list[Path]:
        """Write `explore.json`, `junit.xml`, and for each failure a page, a scenario and a test.

        A program that a test cannot import, such as a lambda, has no tests. Returns the scenarios.

        Raises:
            OSError: the folder cannot be written.

        """
        to = Path(folder)
        to.mkdir(parents=True, exist_ok=True)
        (to / "explore.json").write_text(json.dumps(self.as_json(), indent=2) + "\n", "utf-8")
        (to / "junit.xml").write_text(self.junit(), "utf-8")
        written: list[Path] = []
        for number, failure in enumerate(self.failures, 1):
            scenario = to / f"failure-{number}.json"
            document = json.dumps(self.scenario(failure), indent=2)
            scenario.write_text(document + "\n", "utf-8")
            test = self.test(failure, scenario.name)
            if test is not None:
                (to / f"test_failure_{number}.py").write_text(test, "utf-8")
            (to / f"failure-{number}.html").write_text(self.page(failure), "utf-8", "replace")
            written.append(scenario)
        return written
