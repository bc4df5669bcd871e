"""Values of a file with their places: line and column, counted from 1."""

import re
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from mockbroker.errors import FilePlace, ScenarioError, ScenarioProblem

Scalar: TypeAlias = str | int | float | bool | None

_PATH: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
"""One step of a JSON path: `.match`, or `[2]`."""


@dataclass(frozen=True, slots=True)
class Located:
    """A value, and where it begins."""

    value: "Scalar | dict[str, Located] | list[Located]"
    place: FilePlace
    text: str = ""
    """A scalar as the file has it."""
    keys: dict[str, FilePlace] = field(default_factory=dict[str, FilePlace])
    """The places of the keys of an object."""

    def plain(self) -> Any:
        """Return the value without places."""
        if isinstance(self.value, dict):
            return {key: each.plain() for key, each in self.value.items()}
        if isinstance(self.value, list):
            return [each.plain() for each in self.value]
        return self.value

    def member(self, key: str) -> "Located | None":
        """Return a member of an object; None if there is none, or this is no object."""
        return self.value.get(key) if isinstance(self.value, dict) else None

    def place_of(self, path: str) -> FilePlace:
        """Return the place of a JSON path such as `$.match.topic`, or of its last known part."""
        return self._find(path).place

    def place_of_key(self, path: str, key: str) -> FilePlace:
        """Return the place of a key of the object at a path; without one, that of the object."""
        found = self._find(path)
        return found.keys.get(key, found.place)

    def _find(self, path: str) -> "Located":
        at = self
        for name, index in _PATH.findall(path):
            below = at.value
            if isinstance(below, dict) and name in below:
                at = below[name]
            elif isinstance(below, list) and index and int(index) < len(below):
                at = below[int(index)]
            else:
                break
        return at


def duplicate_key(place: FilePlace, key: str) -> ScenarioError:
    """Return the error of a key that an object has twice."""
    return ScenarioError([ScenarioProblem(place, f"`{key}` is here twice")])
