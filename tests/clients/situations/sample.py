"""Cells that CI measures again: each client, each situation and each release at least once."""

from collections.abc import Iterator
from itertools import chain

from tests.clients.situations.cell import Cell, Place
from tests.clients.situations.recording import Recording
from tests.clients.situations.situations import BASELINES


def sample(recording: Recording) -> list[Place]:
    """Return one cell of each situation with an event, of clients and releases in turn.

    The choice depends on nothing but the recording: no run tests other cells than the one before.
    """
    events = [
        place
        for place, cell in recording.items()
        if place.situation not in BASELINES.values() and not _waits(cell)
    ]
    clients = list(dict.fromkeys(place.client for place in events))
    releases = list(dict.fromkeys(place.release for place in events))
    known, chosen = set(events), list[Place]()
    for number, situation in enumerate(dict.fromkeys(place.situation for place in events)):
        turns = (
            Place(situation, release, client)
            for release in _from(releases, number)
            for client in _from(clients, number)
        )
        chosen.append(next(place for place in turns if place in known))
    return chosen


def _waits(cell: Cell) -> bool:
    """Return whether a call of the application did not return: that takes its time."""
    return any(each.endswith(": no end") for each in cell.raised)


def _from(names: list[str], number: int) -> Iterator[str]:
    """Return all names, beginning with another one for each number."""
    start = number % len(names)
    return chain(names[start:], names[:start])
