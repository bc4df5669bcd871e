"""Count the mutants that tests noticed, by package, from the results of mutmut.

    mutmut results --all true | python -m tools.mutants

Prints the survivors and a table, and exits with 1 if the score of a package is below the target.
A mutant that ran until its time limit counts as noticed: most of them loop forever.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

PACKAGES: Final = (
    "mockbroker.state.producer",
    "mockbroker.state.transaction",
    "mockbroker.broker.produce",
)
TARGET_PERCENT: Final = 90
_NOTICED: Final = ("killed", "timeout")
_UNNOTICED: Final = ("survived", "no tests")
_RESULT: Final = re.compile(r"\s*(mockbroker\.\S+): ([a-z ]+)$")


def results(lines: Iterable[str]) -> dict[str, str]:
    """Return the status of each mutant by its name."""
    return {found[1]: found[2] for line in lines if (found := _RESULT.match(line))}


def package_of(mutant: str) -> str:
    """Return the package of a mutant, or of those above it the one that is counted."""
    return next(package for package in PACKAGES if mutant.startswith(f"{package}."))


def counted(statuses: Mapping[str, str]) -> dict[str, Counter[str]]:
    """Count the mutants of each package by status."""
    counts: dict[str, Counter[str]] = {package: Counter() for package in PACKAGES}
    for mutant, status in statuses.items():
        counts[package_of(mutant)][status] += 1
    return counts


def score(counts: Counter[str]) -> float | None:
    """Return the share of mutants that tests noticed, in percent; None if a mutant did not run."""
    noticed = sum(counts[status] for status in _NOTICED)
    done = noticed + sum(counts[status] for status in _UNNOTICED)
    if not done or done < counts.total():
        return None
    return 100 * noticed / counts.total()


def table(counts: Mapping[str, Counter[str]]) -> str:
    """Return a row for each package, as Markdown."""
    lines = [
        "| package | mutants | killed | timed out | survived | without tests | score |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for package, found in counts.items():
        cells = [found[status] for status in (*_NOTICED, *_UNNOTICED)]
        percent = score(found)
        shown = "–" if percent is None else f"{percent:.1f} %"
        lines.append(f"| `{package}` | {found.total()} | {' | '.join(map(str, cells))} | {shown} |")
    return "\n".join(lines)


def below_target(counts: Mapping[str, Counter[str]]) -> list[str]:
    """Return the packages with too low a score; until all mutants have run there is none."""
    scores = {package: score(found) for package, found in counts.items()}
    return [
        package
        for package, percent in scores.items()
        if percent is not None and percent < TARGET_PERCENT
    ]


def main() -> int:
    """Print what mutmut found."""
    statuses = results(sys.stdin)
    for mutant in sorted(name for name, status in statuses.items() if status in _UNNOTICED):
        print(f"{statuses[mutant]}: {mutant}")
    counts = counted(statuses)
    print(f"\n{table(counts)}\n\n`mutmut show NAME` prints the change of a mutant.")
    failed = below_target(counts)
    for package in failed:
        print(f"{package}: the score is below {TARGET_PERCENT} %", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
