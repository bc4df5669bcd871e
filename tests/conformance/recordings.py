"""Recordings of real Kafka: one text file per module of scripts, with all releases in it.

Each step has a heading, which names scenario, release, step and request, and below it the answer
as JSON, indented by at least one space.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from tests.conformance.location import GOLDEN, Location
from tests.conformance.releases import Release
from tests.conformance.script import Scenario
from tests.conformance.steps import Step

NO_STEPS: Final = "[]"
"""The rest of the heading if a script sends nothing to a release."""
_SECTION: Final = re.compile(rb"\n(\w+ \S+ ).*(?:\n .*|\n\1.*)*")
_UNPACKED_MAX: Final = 4
"""Files of the archive that stay unpacked; scenarios of a file mostly follow one another."""


def place_of(scenario: Scenario) -> str:
    """Return the file of a scenario below the folder of recordings; it has the script's module."""
    module = scenario.script.__module__.removeprefix(f"{__package__}.")
    return f"{module.replace('.', '/')}.txt"


def read(scenario: Scenario, release: Release, folder: Location | None = None) -> list[Step]:
    """Return the recorded answers of a release to a scenario.

    Only they are parsed: the rest of the file is searched as bytes.

    Raises:
        LookupError: the scenario is not recorded on that release.

    """
    data = b"\n" + _content(folder or GOLDEN, place_of(scenario))
    heading = f"\n{scenario.name} {release.label} ".encode()
    start = data.find(heading)
    if start < 0:
        raise LookupError(f"{scenario.name} is not recorded on {release.label}: see `make record`")
    section = _SECTION.match(data, start)
    assert section is not None, heading
    return list(_parsed(section[0].decode().split(heading.decode())[1:]))


def _content(folder: Location, place: str) -> bytes:
    if isinstance(folder, Path):
        path = folder / place
        return path.read_bytes() if path.exists() else b""
    return _unpacked(folder, place)


@lru_cache(_UNPACKED_MAX)
def _unpacked(folder: Location, place: str) -> bytes:
    found = folder.joinpath(*place.split("/"))
    return found.read_bytes() if found.exists() else b""


def _parsed(blocks: Sequence[str]) -> Iterator[Step]:
    if blocks == [NO_STEPS]:
        return
    for block in blocks:
        heading, _, answer = block.partition("\n")
        name, asked = json.loads(heading)
        yield Step(name=name, asked=asked, answer=json.loads(answer))
