"""Measures mockbroker beside the floor, real Kafka and two other mock brokers, in one run.

    python -m bench [--only start,fetch] [--rivals kafka,kfake] [--rounds 5] [--json FILE]

The loads vary as those of applications do, and follow from a seed that is printed (`--seed`).
Rounds alternate between the competitors (A B C A B C); the table shows medians and extremes. Each
round has a new broker, warmed up for two seconds; with `--keep-up` they stay up for the whole run,
in which a Java broker gets faster for minutes. What cannot be measured here is named in the notes,
with the reason.
"""

import argparse
import json
import random
import sys
import time
import traceback
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from bench import machine, report
from bench.arena import Arena
from bench.competitors import FLOOR, Competitor, everyone
from bench.errors import CannotMeasureError
from bench.measurement import Measurement
from bench.measurements import MEASUREMENTS

KEPT_UP: Final = "brokers were kept up from round to round, and were warmer in each (--keep-up)"


class Run:
    """One run: the rounds of every measurement, until the time is used up."""

    def __init__(self, competitors: Sequence[Competitor], rounds: int, limit_s: float) -> None:
        self.results = report.Results()
        self.broken: list[str] = []
        self._competitors = competitors
        self._rounds = rounds
        self._deadline = time.monotonic() + limit_s

    def measure(self, arena: Arena, measurement: Measurement) -> None:
        """Take all rounds of one measurement; past the deadline only the first."""
        failed: set[str] = set() if measurement.has_floor else {FLOOR}
        if measurement.note:
            self.results.note(f"{measurement.key}: {measurement.note}")
        for name, reason in measurement.not_for.items():
            if any(competitor.name == name for competitor in self._competitors):
                self.results.note(f"{measurement.key}: not for {name}: {reason}")
        for number in range(self._rounds):
            if number and time.monotonic() > self._deadline:
                self.results.note(f"{measurement.key}: {number} round(s), the time was used up")
                break
            for competitor in self._competitors:
                rounds = measurement.rounds_max.get(competitor.name, self._rounds)
                if (
                    number < rounds
                    and competitor.name not in failed
                    and competitor.name not in measurement.not_for
                    and not self._take(arena, measurement, competitor)
                ):
                    failed.add(competitor.name)

    def _take(self, arena: Arena, measurement: Measurement, competitor: Competitor) -> bool:
        who = f"{measurement.key}: {competitor.title}"
        _progress(who)
        try:
            sample = measurement.measure(arena, competitor)
        except CannotMeasureError as error:
            self.results.note(f"{who} was not measured: {error}")
            arena.drop(competitor)
            return False
        except Exception as error:  # noqa: BLE001 - whoever broke: the samples so far are kept
            traceback.print_exc()
            self.broken.append(f"{who} broke with {type(error).__name__}: {error}")
            arena.drop(competitor)
            return False
        self.results.add(competitor, sample)
        arena.end_round(competitor)
        return True


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the table and the notes, and write the JSON when asked to."""
    options = parse(arguments)
    about = machine.description()
    began = time.monotonic()
    run = Run(options.competitors, options.rounds, options.limit_s)
    if options.keep_up:
        run.results.note(KEPT_UP)
    with Arena(keeps_up=options.keep_up, seed=options.seed) as arena:
        for measurement in options.measurements:
            run.measure(arena, measurement)
            arena.drop_special()
    _progress("")
    took_s = time.monotonic() - began
    print(f"{about}\nmedian (min–max) of up to {options.rounds} rounds, {took_s:.0f} s in all,")
    print(f"with loads of seed {options.seed}\n")
    print("\n".join(report.table(run.results, options.competitors)))
    print("\nNotes")
    about_them = [f"{each.title}: {each.about}" for each in options.competitors]
    for note in (*about_them, *run.results.notes):
        print(f"- {note}")
    if missed := report.missed(run.results):
        print(f"\nGoals missed: {len(missed)}: {'; '.join(missed)}")
    if options.json is not None:
        summary = {
            "machine": about,
            "rounds": options.rounds,
            "seconds": round(took_s, 1),
            "seed": options.seed,
        }
        document = report.as_json(run.results, summary)
        options.json.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    if run.broken:
        sys.exit("\n".join(run.broken))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; `measurements` and `competitors` are the objects selected."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    groups = [measurement.key for measurement in MEASUREMENTS]
    usual = [measurement.key for measurement in MEASUREMENTS if not measurement.is_long]
    rivals = [competitor.name for competitor in everyone()[1:]]
    parser.add_argument(
        "--only", default=",".join(usual), metavar="GROUP,…", help=", ".join(groups)
    )
    parser.add_argument("--rivals", default=",".join(rivals), metavar="NAME,…", help="or none")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31), help="of the loads")
    parser.add_argument(
        "--keep-up", action="store_true", help="brokers stay up from round to round"
    )
    parser.add_argument("--limit-s", type=float, default=1200.0, help="then one round of the rest")
    parser.add_argument("--json", type=Path, metavar="FILE", help="every sample, for a machine")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    only = _selection(parser, options.only, groups)
    with_rivals = _selection(parser, options.rivals, [*rivals, "none"])
    options.measurements = [each for each in MEASUREMENTS if each.key in only]
    us, *others = everyone()
    options.competitors = [us, *(other for other in others if other.name in with_rivals)]
    return options


def _selection(
    parser: argparse.ArgumentParser, text: str, known: Collection[str]
) -> frozenset[str]:
    wanted = frozenset(text.split(","))
    if unknown := wanted.difference(known):
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(known)}")
    return wanted


def _progress(text: str) -> None:
    """Show the current measurement on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
