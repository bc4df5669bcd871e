"""Search every case with any two faults, on all processors: `make interleavings`."""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

from tests.model.checker.cases import RELEASES, cases_of, known_defects
from tests.model.checker.search import Found, Search, shortened, told
from tests.model.checker.values import Case


def main() -> int:
    """Search, and report each case; return 1 if a promise is broken that Kafka keeps."""
    arguments = _parser().parse_args()
    cases = [
        case
        for release, transaction_version in RELEASES
        if arguments.release in {None, release}
        for case in cases_of(release, transaction_version, arguments.faults)
    ]
    # The largest first, so that no processor waits at the end.
    cases.sort(key=lambda case: len(set(case.transactional_ids)), reverse=True)
    began = time.perf_counter()
    states = defects = 0
    is_complete = True
    with ProcessPoolExecutor(arguments.jobs) as pool:
        searches = [pool.submit(searched, case, arguments.states) for case in cases]
        for search in as_completed(searches):
            found, seconds = search.result()
            states += found.states
            is_complete &= found.is_complete
            _write(*_told(found, seconds))
            defects += len(found.broken.keys() - known_defects(found.case).keys())
    seconds = time.perf_counter() - began
    extent = "all of" if is_complete else "not all of"
    _write(
        f"{states:,} states, {extent} {len(cases)} cases, {seconds:,.0f} s:"
        f" {defects} defects of ours"
    )
    return 1 if defects else 0


def searched(case: Case, states_max: int | None) -> tuple[Found, float]:
    """Search a case; return what was found, and the seconds that it took."""
    began = time.perf_counter()

    def tell(found: Found) -> None:
        sys.stderr.write(f"{_counted(found, time.perf_counter() - began)} so far\n")

    found = Search(case, states_max=states_max, tell=tell).run()
    return found, time.perf_counter() - began


def _counted(found: Found, seconds: float) -> str:
    return (
        f"{found.case}: {found.states:,} states ({found.moments:,} of the brokers),"
        f" {found.transitions:,} transitions ({found.broker_steps:,} taken by brokers),"
        f" {found.ends:,} ends, up to {found.depth} steps,"
        f" {found.states / seconds:,.0f} states/s in {seconds:,.0f} s"
    )


def _told(found: Found, seconds: float) -> Iterator[str]:
    yield f"{_counted(found, seconds)}, cut off: {'no' if found.is_complete else 'yes'}"
    known = known_defects(found.case)
    for promise, broken in found.broken.items():
        shortest = shortened(found.case, broken)
        yield f"  {promise}: {known.get(promise, 'A DEFECT OF OURS')} {shortest.why}"
        yield from (f"    {step}" for step in told(found.case, shortest.history))


def _write(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.model.checker", description=__doc__)
    parser.add_argument("--release", help="only this release of Kafka")
    parser.add_argument("--faults", type=int, default=2, help="how many faults may happen (2)")
    parser.add_argument("--states", type=int, help="end the search of a case after so many states")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many processes")
    return parser


if __name__ == "__main__":
    sys.exit(main())
