"""Forms of an explained difference, and of a refused request."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Location of a difference: a scenario, its steps, their fields (`*` matches anything)."""

    scenario: str
    step: str = "*"
    field: str = "*"
    presets: tuple[str, ...] = ()
    """The releases, by `Release.name`; empty for all recorded ones."""

    def covers(self, step: str, field: str) -> bool:
        """Return whether a field of a step matches."""
        return _matches(self.step, step) and _matches(self.field, field)


def _matches(pattern: str, text: str) -> bool:
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(expression, text, re.DOTALL) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """An intended difference, with its reason."""

    what: str
    kafka: str
    ours: str
    reason: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An intentionally refused request, with its response."""

    what: str
    answer: str
    reason: str
