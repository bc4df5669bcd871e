"""Commands of the simulations.

python -m tests.simulation                       # new seeds until Ctrl-C: `make simulate`
python -m tests.simulation --budget 10m
python -m tests.simulation PLAN                  # a seed or the JSON of a failure: its log
python -m tests.simulation --measure             # how soon each planted bug is found
"""

import argparse
import secrets
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tests.simulation import planting
from tests.simulation.planted_bugs import PLANTED

_UNITS_S: Final = {"s": 1, "m": 60, "h": 3600}
_LINE_EVERY_S: Final = 30.0
_BLINK_S: Final = 1.0
_BUDGET_OF_A_BUG_S: Final = 600.0


def seconds(text: str) -> float:
    """Return the seconds of a duration such as `90s`, `10m` or `8h`."""
    if text[-1:] not in _UNITS_S:
        raise argparse.ArgumentTypeError(f"{text!r} has no unit: 90s, 10m, 8h")
    return float(text[:-1]) * _UNITS_S[text[-1]]


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
    if options.planted or options.measure:
        planting.run_sources()
    if options.measure:
        return measure(options)
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
    return int(bool(fleet.shown.failures) or fleet.has_missed)


def until(budget_s: float | None) -> Callable[[Any], bool]:
    """Return a function that tells whether time is over, and shows how far the fleet is.

    There is no bar without an end: on a terminal one line changes, in a file a line is added.
    """
    began = last = time.monotonic()

    def is_over(shown: Any) -> bool:
        nonlocal last
        now = time.monotonic()
        on_terminal = sys.stderr.isatty()
        if now - last >= (_BLINK_S if on_terminal else _LINE_EVERY_S):
            last, rate = now, shown.runs / (now - began)
            line = f"{shown.runs} simulations, {rate:.0f}/s, {len(shown.failures)} failed"
            sys.stderr.write(f"\r{line} " if on_terminal else f"{line}\n")
            sys.stderr.flush()
        return budget_s is not None and now - began >= budget_s

    return is_over


def measure(options: argparse.Namespace) -> int:
    """Print how soon each planted bug is found, each time from another seed and in one process."""
    fleet: Any = import_module("tests.simulation.fleet")
    budget_s = options.budget or _BUDGET_OF_A_BUG_S
    missed = 0
    with fleet.pool(options.jobs) as processes:
        for bug in (each for each in PLANTED if options.planted in {None, each.name}):
            runs = [
                processes.submit(fleet.first_failure, secrets.randbelow(10**12), budget_s, bug.name)
                for _ in range(options.runs)
            ]
            found = [each.result() for each in runs]
            took = [time_s if kind else float("inf") for _, time_s, kind in found]
            missed += statistics.median(took) > _BUDGET_OF_A_BUG_S
            say(
                f"{statistics.median(took):6.1f} s median, {max(took):6.1f} s at most, "
                f"{statistics.median(seeds for seeds, _, _ in found):5.0f} seeds: {bug.name}"
            )
    return int(missed > 0)


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
