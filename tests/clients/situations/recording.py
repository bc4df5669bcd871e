"""Stored results: one line for each cell."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from mockbroker.state.release.options import SUPPORTED_RELEASES
from tests.clients.kip_691.template import Verdict
from tests.clients.situations.cell import Cell, Ending, Place
from tests.clients.situations.situations import BASELINES, SITUATIONS, situation
from tests.clients.transactors.clients import TITLES

RECORDED: Final = Path(__file__).with_name("recorded.json")
Recording: TypeAlias = Mapping[Place, Cell]

PLACES: Final = tuple(
    Place(each.slug, release, client)
    for client in TITLES
    for release in SUPPORTED_RELEASES
    for each in SITUATIONS
)
"""All cells that there can be."""


def read(path: Path = RECORDED) -> dict[Place, Cell]:
    """Read a recording; there may be none yet."""
    lines = json.loads(path.read_text("utf-8")) if path.exists() else []
    return {_place(line): _cell(line) for line in lines}


def write(recording: Recording, path: Path = RECORDED) -> None:
    """Write the cells that exist, in the order of the table."""
    lines = [json.dumps(_line(each, recording[each])) for each in PLACES if each in recording]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")


def why_impossible(recording: Recording, place: Place) -> str | None:
    """Return what a client raised that cannot work with a release at all, or None if it can.

    A client that has not been tried yet counts as one that can.
    """
    is_transactional = situation(place.situation).setup.is_transactional
    found = recording.get(Place(BASELINES[is_transactional], place.release, place.client))
    if found is None or (found.verdict is Verdict.RETRIED and str(found.ending) == "exactly once"):
        return None
    return found.raised[0] if found.raised else str(found.ending)


def _line(place: Place, cell: Cell) -> dict[str, Any]:
    ending = cell.ending
    optional = {
        "raised": cell.raised,
        "answered": cell.answered,
        "lost": ending.lost,
        "duplicated": ending.duplicated,
        "hanging": ending.is_hanging,
        "wrong_offset": ending.has_wrong_offset,
        "findings": cell.findings,
    }
    return {
        "situation": place.situation,
        "release": place.release,
        "client": place.client,
        "verdict": cell.verdict.value,
        **{name: value for name, value in optional.items() if value},
    }


def _place(line: Mapping[str, Any]) -> Place:
    return Place(line["situation"], line["release"], line["client"])


def _cell(line: Mapping[str, Any]) -> Cell:
    return Cell(
        verdict=Verdict(line["verdict"]),
        answered=tuple(line.get("answered", ())),
        raised=tuple(line.get("raised", ())),
        ending=Ending(
            lost=line.get("lost", 0),
            duplicated=line.get("duplicated", 0),
            is_hanging=line.get("hanging", False),
            has_wrong_offset=line.get("wrong_offset", False),
        ),
        findings=tuple(line.get("findings", ())),
    )
