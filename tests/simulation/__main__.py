"""Commands of the simulations.

python -m tests.simulation                       # new seeds until Ctrl-C: `make simulate`
python -m tests.simulation --budget 10m
python -m tests.simulation PLAN                  # a seed or the JSON of a failure: its log
python -m tests.simulation --measure             # how soon each planted bug is found
"""

import argparse
import math
import multiprocessing
import secrets
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from mockbroker.settings.duration import milliseconds
from tests.simulation import planting
from tests.simulation.planted_bugs import PLANTED
from tests.simulation.planting import Planted

_LINE_EVERY_S: Final = 30.0
_BLINK_S: Final = 1.0
_BUDGET_OF_A_BUG_S: Final = 1_200.0
"""CPU time of a fleet with two processes in ten minutes."""


def seconds(text: str) -> float:
    """Return the seconds of a duration such as `90s`, `10m` or `8h`."""
    return milliseconds(text) / 1000


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m tests.simulation", description="Run simulations of a cluster."
    )
    made.add_argument("plan", nargs="?", help="a seed, or the JSON of a failure: print its log")
    made.add_argument("--budget", type=seconds, metavar="10m", help="stop after this time")
    made.add_argument("--from", type=int, dest="first", metavar="SEED", help="the first seed")
    made.add_argument("--jobs", type=int, default=2, help="processes (2)")
    made.add_argument("--corpus", type=Path, help="write failures to this file")
    made.add_argument("--planted", choices=[each.name for each in PLANTED], help="plant a bug")
    made.add_argument("--measure", action="store_true", help="measure how soon they are found")
    made.add_argument("--runs", type=int, default=5, help="how often each bug is planted (5)")
    return made


def main(arguments: list[str] | None = None) -> int:
    """Run a command, and return the exit code: 1 after a failure."""
    options = parser().parse_args(arguments)
    if options.measure:
        return measure(options)
    if options.planted:
        planting.run_sources()
    return show(options.plan, options.planted) if options.plan else sail(options)


def show(text: str, planted: str | None) -> int:
    """Print the log of a simulation that fails, and what it has broken."""
    fleet: Any = import_module("tests.simulation.fleet")
    fleet.logging.configure(level="error", log_format="json")
    with fleet.infested(planted) as sharing:
        failure = fleet.failure_of(fleet.Plan.parse(text).with_group(sharing))
    if failure is None:
        say("no promise is broken")
        return 0
    for line in (*failure.world.story, f"{failure.kind}: {failure.__cause__}"):
        say(line)
    return 1


def sail(options: argparse.Namespace) -> int:
    """Run new seeds until they are over."""
    module: Any = import_module("tests.simulation.fleet")
    first = secrets.randbelow(10**12) if options.first is None else options.first
    path = options.corpus or module.corpus.CORPUS
    fleet = module.Fleet(first, jobs=options.jobs, bug=options.planted, path=path)
    say(f"from seed {first} on, in {options.jobs} processes; Ctrl-C stops")
    fleet.sail(until(options.budget), say)
    for line in fleet.report():
        say(line)
    return int(bool(fleet.failures) or fleet.has_missed)


def until(budget_s: float | None) -> Callable[[Any], bool]:
    """Return a function that tells whether time is over, and shows how far the fleet is.

    There is no bar without an end: on a terminal one line changes, in a file a line is added.
    """
    began = last = time.monotonic()

    def is_over(fleet: Any) -> bool:
        nonlocal last
        now = time.monotonic()
        on_terminal = sys.stderr.isatty()
        if now - last >= (_BLINK_S if on_terminal else _LINE_EVERY_S):
            last, rate = now, fleet.runs / (now - began)
            line = f"{fleet.runs} simulations, {rate:.0f}/s, {len(fleet.failures)} failed"
            sys.stderr.write(f"\r{line} " if on_terminal else f"{line}\n")
            sys.stderr.flush()
        return budget_s is not None and now - began >= budget_s

    return is_over


def measure(options: argparse.Namespace) -> int:
    """Print a table: how soon each planted bug is found, each time from another seed.

    CPU time counts, so that other work on the machine does not; each run has one process.
    """
    say("| planted bug | found | simulations, median | CPU s, median | CPU s, most | promise |")
    say("| --- | --- | --- | --- | --- | --- |")
    missed = [  # sources first: results import modules here, and processes inherit them
        bug.name
        for is_native in (True, False)
        for bug, found in _measured(options, is_native=is_native)
        if say_found(bug, found) > _BUDGET_OF_A_BUG_S
    ]
    return int(bool(missed))


def _measured(
    options: argparse.Namespace, *, is_native: bool
) -> Iterator[tuple[Planted, list[Any]]]:
    """Yield the runs of each planted bug, in processes that run sources where it needs them."""
    wanted = (bug for bug in PLANTED if options.planted in {None, bug.name})
    bugs = [bug for bug in wanted if bug.is_native is is_native]
    budget_s = options.budget or _BUDGET_OF_A_BUG_S
    context = multiprocessing.get_context("fork")
    prepare = planting.run_sources if is_native else None
    with ProcessPoolExecutor(options.jobs, context, prepare) as processes:
        asked = {
            processes.submit(_first_failure, secrets.randbelow(10**12), budget_s, bug.name): bug
            for _ in range(options.runs)
            for bug in bugs
        }
        found: dict[str, list[Any]] = defaultdict(list)
        for run in as_completed(asked):
            bug = asked[run]
            found[bug.name].append(run.result())
            if len(found[bug.name]) == options.runs:
                yield bug, found[bug.name]


def say_found(bug: Planted, found: list[Any]) -> float:
    """Print how soon a planted bug was found, and return the median of the CPU time."""
    took_s = [each.cpu_s if each.kind else math.inf for each in found]
    kinds = sorted({each.kind for each in found if each.kind})
    say(
        f"| {bug.name} | {sum(each.kind is not None for each in found)} of {len(found)}"
        f" | {statistics.median(each.runs for each in found):.0f}"
        f" | {statistics.median(took_s):.1f} | {max(took_s):.1f} | {'; '.join(kinds)} |"
    )
    return statistics.median(took_s)


def _first_failure(seed: int, budget_s: float, name: str) -> Any:
    fleet: Any = import_module("tests.simulation.fleet")
    return fleet.first_failure(seed, budget_s, name)


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
