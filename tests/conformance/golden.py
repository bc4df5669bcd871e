"""Writer of the recordings of real Kafka, whose form `README.md` explains."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from tests.conformance.recordings import NO_STEPS, place_of
from tests.conformance.releases import RELEASES, Release
from tests.conformance.script import Scenario
from tests.conformance.steps import Step
from tests.conformance.stored import Shown

FOLDER: Final = Path(__file__).parent / "golden"
LINE_LENGTH: Final = 110

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)
_BEFORE_HEADING: Final = re.compile(r"^(?=\w)", re.MULTILINE)
_ORDER: Final = {each.label: index for index, each in enumerate(RELEASES)}
"""The order of releases in a scenario; those that are no longer recorded come last."""


@dataclass(frozen=True, slots=True, order=True)
class Recording:
    """Name of one recording, and the file that holds it."""

    path: Path
    scenario: str
    release: str


def path_of(scenario: Scenario, folder: Path = FOLDER) -> Path:
    """Return the file of a scenario."""
    return folder / place_of(scenario)


def recordings(folder: Path = FOLDER) -> Iterator[Recording]:
    """List all recordings."""
    for path in sorted(folder.rglob("*.txt")):
        for scenario, release in _sections(path.read_text("utf-8")):
            yield Recording(path, scenario, release)


def write(
    scenario: Scenario, release: Release, steps: Sequence[Step], folder: Path = FOLDER
) -> bool:
    """Record the answers of a release to a scenario, and return whether the file changed.

    The other recordings in the file stay as they are.
    """
    path = path_of(scenario, folder)
    before = path.read_text("utf-8") if path.exists() else ""
    sections = _sections(before)
    sections[scenario.name, release.label] = written(scenario.name, release.label, steps)
    after = joined(sections)
    if after != before:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(after, "utf-8")
    return after != before


def _sections(text: str) -> dict[tuple[str, str], str]:
    """Split a file into its recordings, by scenario and release."""
    first, *blocks = _BEFORE_HEADING.split(text)
    assert not first, first
    sections: defaultdict[tuple[str, str], str] = defaultdict(str)
    for block in blocks:
        scenario, release, _ = block.split(" ", 2)
        sections[scenario, release] += block
    return sections


def joined(sections: Mapping[tuple[str, str], str]) -> str:
    """Join recordings to a file, by scenario, the newest release of each first."""

    def place(key: tuple[str, str]) -> tuple[str, int, str]:
        scenario, release = key
        return scenario, _ORDER.get(release, len(_ORDER)), release

    return "".join(sections[key] for key in sorted(sections, key=place))


def written(scenario: str, release: str, steps: Sequence[Step]) -> str:
    """Format one recording as in a file."""
    start = f"{scenario} {release} "
    if not steps:
        return f"{start}{NO_STEPS}\n"
    return "".join(
        f"{start}{_flat([step.name, step.asked])}\n {pretty(step.answer, 1)}\n" for step in steps
    )


def pretty(value: Shown, indent: int = 0) -> str:
    """Format JSON with short values on one line, to be easy to compare."""
    flat = _flat(value)
    if len(flat) + indent <= LINE_LENGTH or not isinstance(value, dict | list):
        return flat
    space = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [f"{space}{_key(key)}: {pretty(item, indent + 1)}" for key, item in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{' ' * indent}}}"
    parts = [space + pretty(item, indent + 1) for item in value]
    return "[\n" + ",\n".join(parts) + f"\n{' ' * indent}]"


@cache
def _key(key: str) -> str:
    """Format a field's name: there are some hundreds, a million times."""
    return _flat(key)


def _flat(value: Shown) -> str:
    # As json.dumps, which makes an encoder for each call.
    return _ENCODER.encode(value)
