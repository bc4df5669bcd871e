"""Fleet of simulations: new seeds in several processes, until it is stopped.

Each failure is printed with its seed, made smaller, and added to the corpus. At the end the fleet
prints how many simulations have reached each rare state, and fails if one was never reached.
"""

import multiprocessing
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from mockbroker.events import logging
from tests.simulation import corpus, rare_states
from tests.simulation.plan import Plan
from tests.simulation.planted_bugs import PLANTED
from tests.simulation.planting import Planted, planted
from tests.simulation.shrinking import failure_of, shrunk
from tests.simulation.simulation import SimulationError, run

AT_ONCE: Final = 20
"""How many simulations a process runs before it reports."""


class Failure(NamedTuple):
    """A broken promise."""

    plan: Plan
    """The smallest one that breaks it."""
    kind: str
    text: str
    """The promise as the plan of the seed alone has broken it, with the log."""


@dataclass(slots=True)
class Shown:
    """What some simulations have shown."""

    runs: int = 0
    reached: Counter[str] = field(default_factory=Counter[str])
    """The number of simulations that have reached each state."""
    failures: list[Failure] = field(default_factory=list[Failure])

    def add(self, other: "Shown") -> None:
        """Add what others have shown."""
        self.runs += other.runs
        self.reached.update(other.reached)
        self.failures += other.failures


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
            shown.failures.append(Failure(smallest.world.plan, smallest.kind, text))
        shown.reached.update(world.sightings.counts.keys())
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


def run_seeds(seeds: range, bug: str | None) -> Shown:
    """Run the simulations of some seeds, with a planted bug if one is named."""
    with infested(bug) as sharing:
        return run_all(Plan(seed=seed, sharing=sharing) for seed in seeds)


def first_failure(first_seed: int, budget_s: float, bug: str) -> tuple[int, float, str | None]:
    """Return the number of seeds and seconds in which a bug was found, and the broken promise."""
    logging.configure(level="error", log_format="json")
    began = time.monotonic()
    with infested(bug):
        for seeds in count(1):
            failure = failure_of(Plan(seed=first_seed + seeds - 1))
            took_s = time.monotonic() - began
            if failure is not None or took_s > budget_s:
                break
    return seeds, took_s, None if failure is None else failure.kind


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
        self.shown = Shown()
        self._at_once = at_once
        self._seeds = count(first_seed, at_once)
        self._jobs = jobs
        self._bug = bug
        self._path = path

    def sail(self, is_over: Callable[[Shown], bool], say: Callable[[str], None]) -> None:
        """Run until it is over, or until Ctrl-C; say each failure, and add it to the corpus."""
        with pool(self._jobs) as processes, suppress(KeyboardInterrupt):
            running = {self._begin(processes) for _ in range(self._jobs)}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for each in done:
                    self._take(each.result(), say)
                missing = 0 if is_over(self.shown) else len(done)
                running |= {self._begin(processes) for _ in range(missing)}

    def _begin(self, processes: ProcessPoolExecutor) -> Future[Shown]:
        first = next(self._seeds)
        return processes.submit(run_seeds, range(first, first + self._at_once), self._bug)

    def _take(self, shown: Shown, say: Callable[[str], None]) -> None:
        known = {each.kind for each in self.shown.failures}
        self.shown.add(shown)
        for failure in shown.failures:
            if failure.kind not in known:
                known.add(failure.kind)
                corpus.add(failure.plan, failure.kind, self._path)
            say(f"{failure.text}\nsmallest: python -m tests.simulation '{failure.plan}'")

    def report(self) -> Iterator[str]:
        """Yield the lines of the table of rare states, and what is wrong."""
        shown = self.shown
        yield from rare_states.table(shown.reached, shown.runs)
        yield f"{shown.runs} simulations, {len(shown.failures)} failed"
        if self.has_missed:
            yield f"never reached: {', '.join(rare_states.unreached(shown.reached))}"

    @property
    def has_missed(self) -> bool:
        """True if enough simulations have not reached every rare state."""
        is_enough = self.shown.runs >= rare_states.ENOUGH
        return is_enough and bool(rare_states.unreached(self.shown.reached))
