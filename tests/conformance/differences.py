"""Every explained difference between real Kafka and the product: the one list of them.

`docs/conformance.md` is made from it. An explanation whose difference is gone fails the tests.
"""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Place:
    """Where a difference shows: a scenario, its steps, their fields (`*` stands for anything)."""

    scenario: str
    step: str = "*"
    field: str = "*"
    presets: tuple[str, ...] = ("4.4", "2.4")

    def covers(self, step: str, field: str) -> bool:
        """Say whether a field of a step is meant."""
        return _matches(self.step, step) and _matches(self.field, field)


def _matches(pattern: str, text: str) -> bool:
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(expression, text, re.DOTALL) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A difference that is meant to be, with its reason."""

    what: str
    kafka: str
    ours: str
    reason: str
    places: tuple[Place, ...]


EXPLAINED: Final[tuple[Explained, ...]] = (
    Explained(
        what="ApiVersions lists fewer APIs",
        kafka="lists every API of its release",
        ours="lists the APIs that are served",
        reason="What is advertised is what is served: a client that finds an API may use it.",
        places=(
            Place("api_versions", field="api_keys.*"),
            Place("api_versions_too_new", "the connection goes on", "api_keys.*"),
            Place("api_versions_software_names", field="api_keys.*"),
            Place("api_versions_wrong_cluster", field="api_keys.*", presets=("4.4",)),
        ),
    ),
)
