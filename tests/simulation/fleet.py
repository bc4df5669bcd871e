"""Fleet of simulations: new seeds in several processes, until it is stopped.

Each failure is printed with its seed, made smaller, and added to the corpus. At the end the fleet
prints how many simulations have reached each rare state, and fails if one was never reached.
"""

import multiprocessing
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Final, NamedTuple

from mockbroker.events import logging
from mockbroker.exploration.search.repetition import ONCE, RepeatedRuns
from tests.simulation import corpus, rare_states
from tests.simulation.guide import Guide
from tests.simulation.plan import Plan
from tests.simulation.planted_bugs import PLANTED
from tests.simulation.planting import Planted, planted
from tests.simulation.shrinking import failure_of, shrunk
from tests.simulation.simulation import SimulationError, run

AT_ONCE: Final = 20
"""How many simulations a process runs before it reports."""
_REPEATS: Final = 2


class Failure(NamedTuple):
    """A broken promise."""

    plan: Plan
    """The smallest one that breaks it."""
    kind: str
    text: str
    """The promise as the plan of the seed alone has broken it, with the log."""
    repetition: RepeatedRuns = ONCE
    """In how many runs the smallest plan has failed."""


@dataclass(slots=True)
class Shown:
    """What some simulations have shown."""

    runs: int = 0
    reached: list[tuple[Plan, Collection[str]]] = field(
        default_factory=list[tuple[Plan, Collection[str]]]
    )
    """What each simulation has reached."""
    failures: list[Failure] = field(default_factory=list[Failure])


def bug_named(name: str) -> Planted:
    """Return a planted bug."""
    return next(each for each in PLANTED if each.name == name)


def run_all(plans: Iterable[Plan]) -> Shown:
    """Run simulations, and make the first one smaller that breaks a promise."""
    logging.configure(level="error", log_format="json")
    shown = Shown()
    for plan in plans:
        shown.runs += 1
        try:
            world = run(plan)
        except SimulationError as failure:
            world, text = failure.world, str(failure)
            is_known = any(each.kind == failure.kind for each in shown.failures)
            smallest = failure if is_known else shrunk(failure)
            shown.failures.append(
                Failure(smallest.world.plan, smallest.kind, text, repeated(smallest))
            )
        shown.reached.append((plan, list(world.sightings.counts)))
    return shown


@contextmanager
def infested(bug: str | None) -> Iterator[str | None]:
    """Let the brokers have a bug if one is named; yield the protocol of the group it needs."""
    if bug is None:
        yield None
        return
    found = bug_named(bug)
    with planted(found):
        yield found.sharing


def repeated(failure: SimulationError) -> RepeatedRuns:
    """Run a plan again that has failed: what the seed does not determine is a defect of ours."""
    again = [failure_of(failure.world.plan) for _ in range(_REPEATS)]
    return ONCE.and_again(each is not None and each.kind == failure.kind for each in again)


def run_plans(plans: Sequence[Plan], bug: str | None) -> Shown:
    """Run the simulations of some plans, with a planted bug if one is named."""
    with infested(bug):
        return run_all(plans)


class Found(NamedTuple):
    """How soon a planted bug was found."""

    runs: int
    cpu_s: float
    wall_s: float
    kind: str | None
    """The broken promise; None if the time was over before."""


def first_failure(first_seed: int, budget_s: float, bug: str) -> Found:
    """Run new seeds in this process until a planted bug is found, or so much CPU time is used."""
    logging.configure(level="error", log_format="json")
    guide, failure = Guide(first_seed), None
    began_s, cpu_s = time.monotonic(), time.process_time()
    with infested(bug):
        for runs in count(1):
            plan = guide.plan(first_seed + runs - 1)
            try:
                guide.learn(plan, run(plan).sightings.counts)
            except SimulationError as error:
                failure = error
            took_s = time.process_time() - cpu_s
            if failure is not None or took_s > budget_s:
                break
    kind = None if failure is None else failure.kind
    return Found(runs, took_s, time.monotonic() - began_s, kind)


def pool(jobs: int) -> ProcessPoolExecutor:
    """Return processes that run what this one runs, be it native code, and leave Ctrl-C to it."""
    context = multiprocessing.get_context("fork")
    return ProcessPoolExecutor(
        jobs,
        mp_context=context,
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )


class Fleet:
    """Simulations of one seed after the other."""

    def __init__(
        self,
        first_seed: int,
        *,
        jobs: int,
        bug: str | None,
        path: Path,
        at_once: int = AT_ONCE,
    ) -> None:
        self.runs = 0
        self.failures: list[Failure] = []
        self.guide = Guide(first_seed)
        self._at_once = at_once
        self._seeds = count(first_seed)
        self._sharing = None if bug is None else bug_named(bug).sharing
        self._jobs = jobs
        self._bug = bug
        self._path = path

    def sail(self, is_over: Callable[["Fleet"], bool], say: Callable[[str], None]) -> None:
        """Run until it is over, or until Ctrl-C; say each failure, and add it to the corpus."""
        with pool(self._jobs) as processes, suppress(KeyboardInterrupt):
            running = {self._begin(processes) for _ in range(self._jobs)}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for each in done:
                    self.take(each.result(), say)
                missing = 0 if is_over(self) else len(done)
                running |= {self._begin(processes) for _ in range(missing)}

    def _begin(self, processes: ProcessPoolExecutor) -> Future[Shown]:
        seeds = islice(self._seeds, self._at_once)
        plans = [self.guide.plan(seed, self._sharing) for seed in seeds]
        return processes.submit(run_plans, plans, self._bug)

    def take(self, shown: Shown, say: Callable[[str], None]) -> None:
        """Learn from what simulations have shown."""
        self.runs += shown.runs
        for plan, states in shown.reached:
            self.guide.learn(plan, states)
        known = {each.kind for each in self.failures}
        self.failures += shown.failures
        for failure in shown.failures:
            if failure.kind not in known:
                known.add(failure.kind)
                corpus.add(failure.plan, failure.kind, self._path)
            say(
                f"{failure.text}\nsmallest: python -m tests.simulation '{failure.plan}'"
                f" ({failure.repetition})"
            )

    def report(self) -> Iterator[str]:
        """Yield the lines of the table of rare states, and what is wrong."""
        reached = self.guide.coverage.counts
        yield from rare_states.table(reached, self.runs)
        yield f"{self.runs} simulations, {len(self.failures)} failed"
        if self.has_missed:
            yield f"never reached: {', '.join(rare_states.unreached(reached))}"

    @property
    def has_missed(self) -> bool:
        """True if enough simulations have not reached every rare state."""
        is_enough = self.runs >= rare_states.ENOUGH
        return is_enough and bool(rare_states.unreached(self.guide.coverage.counts))
