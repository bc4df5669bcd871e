"""Search every case with any two faults, on all processors: `make interleavings`."""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final

from mockbroker.audit.storage.paused_collection import paused_collection
from tests.model.checker.cases import RELEASES, cases_of, known_defects
from tests.model.checker.known_states import KnownStates
from tests.model.checker.search import Found, Search, Share, shortened, told
from tests.model.checker.values import Case

TABLE_SIZE: Final = 1 << 27
"""The number of states that a case may have; each takes eight bytes."""
_SHARED: Final[list[KnownStates]] = []
"""In a process of the pool: the states that all of them know."""


def main() -> int:
    """Search, and report each case; return 1 if a promise is broken that Kafka keeps."""
    arguments = _parser().parse_args()
    cases = [
        case
        for release, transaction_version in RELEASES
        if arguments.release in {None, release}
        if arguments.transaction_version in {None, transaction_version}
        for case in cases_of(release, transaction_version, arguments.faults)
    ]
    began = time.perf_counter()
    states = defects = 0
    is_complete = True
    for case in cases:
        found, seconds = searched(case, arguments.jobs, arguments.states)
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


def searched(case: Case, jobs: int, states_max: int | None) -> tuple[Found, float]:
    """Search a case in several processes; return what was found, and the seconds that it took."""
    began = time.perf_counter()
    found = Found(case=case)
    context = get_context("fork")  # the table of states is shared memory without a name
    arguments = (KnownStates(TABLE_SIZE),)
    with ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=arguments) as pool:
        for faults in range(case.faults + 1):
            visits = [
                pool.submit(_visited, case, faults, Share(number, jobs), states_max)
                for number in range(jobs)
            ]
            for visit in visits:
                found.add(visit.result())
    return found, time.perf_counter() - began


def _begin(known: KnownStates) -> None:
    """Prepare a process of the pool."""
    _SHARED.append(known)


@paused_collection()
def _visited(case: Case, faults: int, share: Share, states_max: int | None) -> Found:
    began = time.perf_counter()

    def tell(found: Found) -> None:
        sys.stderr.write(f"{_counted(found, time.perf_counter() - began)} so far\n")

    search = Search(case, _SHARED[0], states_max=states_max, tell=tell)
    return search.visit(faults, share)


def _counted(found: Found, seconds: float) -> str:
    return (
        f"{found.case}: {found.states:,} states, {found.transitions:,} transitions"
        f" ({found.broker_steps:,} taken by brokers), {found.ends:,} ends,"
        f" up to {found.depth} steps,"
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
    parser.add_argument("--transaction-version", type=int, help="only this transaction.version")
    parser.add_argument("--faults", type=int, default=2, help="how many faults may happen (2)")
    parser.add_argument(
        "--states",
        type=int,
        help="visit so many states at most, of a number of faults, in a process",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many processes")
    return parser


if __name__ == "__main__":
    sys.exit(main())
