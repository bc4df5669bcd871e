"""Measure the table of clients, releases and situations, and store the results.

    python -m tests.clients.situations.record [WORD...] [--again] [--jobs 3]

Only cells with all words in their names are measured, and of those only the ones that have no
result yet, so that an interrupted run goes on; `--again` measures them anew. The name of a cell is
that of its link: `lost-end-txn--3.9--java-4.4.0`, so one cell alone is

    python -m tests.clients.situations.record --again lost-end-txn--3.9--java-4.4.0

It needs Java, Maven, Go, Node and Python 3.10. `make docs` then generates the pages.
"""

import argparse
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Empty
from typing import Final

from tests.clients.situations.cell import Cell, Place
from tests.clients.situations.meet import cell_of
from tests.clients.situations.recording import PLACES, read, why_impossible, write
from tests.clients.situations.situations import BASELINES, situation
from tests.clients.support.transactional_client import ClientError
from tests.clients.transactors.clients import TITLES, Clients

Result = tuple[Place, Cell | str, float]
"""A cell, or why there is none, and how long that took."""
_WRITES_EVERY_S: Final = 10.0


def main(words: list[str]) -> None:
    """Measure what the arguments select."""
    arguments = _arguments(words)
    recording = read()
    selected = [
        place
        for place in PLACES
        if all(word in place.anchor for word in arguments.words)
        and (arguments.again or place not in recording)
    ]
    known = {place: cell for place, cell in recording.items() if place not in set(selected)}
    by_client = [[place for place in selected if place.client == title] for title in TITLES]
    written = time.monotonic()
    for number, (place, cell, seconds) in enumerate(
        _results([places for places in by_client if places], known, arguments.jobs), 1
    ):
        if isinstance(cell, Cell):
            recording[place] = cell
        shown = f"{cell.verdict}, {cell.ending}" if isinstance(cell, Cell) else cell
        sys.stdout.write(f"{number}/{len(selected)} {seconds:5.1f} s {place.anchor}: {shown}\n")
        sys.stdout.flush()
        if time.monotonic() - written > _WRITES_EVERY_S:
            write(recording)
            written = time.monotonic()
    write(recording)


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.clients.situations.record")
    parser.add_argument("words", nargs="*", help="parts of the names of cells")
    parser.add_argument("--again", action="store_true", help="also cells that have a result")
    parser.add_argument("--jobs", type=int, default=3, help="clients at the same time (3)")
    return parser.parse_args(words)


def _results(by_client: list[list[Place]], known: dict[Place, Cell], jobs: int) -> Iterator[Result]:
    """Run the clients in processes of their own."""
    context = multiprocessing.get_context("spawn")
    tasks: Queue[list[Place] | None] = context.Queue()
    results: Queue[Result] = context.Queue()
    workers = [
        context.Process(target=_work, args=(tasks, results, known))
        for _ in range(min(jobs, len(by_client)))
    ]
    for task in [*by_client, *(None for _ in workers)]:
        tasks.put(task)
    for worker in workers:
        worker.start()
    left = sum(map(len, by_client))
    while left and (results.qsize() or any(worker.is_alive() for worker in workers)):
        with suppress(Empty):
            yield results.get(timeout=1)
            left -= 1
    for worker in workers:
        worker.join()


def _work(
    tasks: "Queue[list[Place] | None]", results: "Queue[Result]", known: dict[Place, Cell]
) -> None:
    while (places := tasks.get()) is not None:
        for place, cell, seconds in _of_client(places, dict(known)):
            results.put((place, cell, seconds))


def _of_client(places: list[Place], known: dict[Place, Cell]) -> Iterator[Result]:
    """Measure the cells of one client, those without an event first."""
    waiting = sorted(places, key=lambda place: place.situation not in BASELINES.values())
    while waiting:
        # a program that does not answer does not end well, either
        with suppress(AssertionError, OSError):
            yield from _until_it_stalls(waiting, known)


def _until_it_stalls(waiting: list[Place], known: dict[Place, Cell]) -> Iterator[Result]:
    """Measure cells with one program of the client, until it does not answer any more."""
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        clients = Clients(running, folder, apart=True)
        while waiting:
            place = waiting.pop(0)
            begun = time.monotonic()
            try:
                cell = _measured(clients, place, known)
            except (AssertionError, OSError, ClientError) as error:
                yield place, f"no result: {str(error)[:300]}", time.monotonic() - begun
                return
            if isinstance(cell, Cell):
                known[place] = cell
            yield place, cell, time.monotonic() - begun


def _measured(clients: Clients, place: Place, known: dict[Place, Cell]) -> Cell | str:
    is_baseline = place.situation in BASELINES.values()
    if not is_baseline and (why := why_impossible(known, place)) is not None:
        return f"not possible: {why}"
    return cell_of(clients[place.client], situation(place.situation), place.release)


if __name__ == "__main__":
    main(sys.argv[1:])
