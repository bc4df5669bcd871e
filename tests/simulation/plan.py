"""Plan of a simulation: its seed, and what was left out of it to keep a failure small."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that determines a simulation, besides the code."""

    seed: int
    sharing: str | None = None
    """Protocol of a group that there must be: `share`, or a key of `SHARERS`."""
    features: frozenset[str] | None = None
    """Names of `features.py`; None if the seed chooses."""
    without: frozenset[str] = frozenset()
    """Names of clients that are left out."""
    spared: frozenset[int] = frozenset()
    """Numbers of mishaps that do not happen."""
    steps: Mapping[str, int] = field(default_factory=dict[str, int])
    """Number of steps after which a client dies, by its name."""

    def has(self, feature: str, chosen: bool) -> bool:
        """Return whether the simulation has a feature, which its seed has `chosen` or not."""
        return chosen if self.features is None else feature in self.features

    def changed(self, **changes: Any) -> Self:
        """Return a plan with other fields."""
        return replace(self, **changes)

    def with_group(self, sharing: str | None) -> Self:
        """Return a plan with a group of a protocol, if it has none."""
        return replace(self, sharing=self.sharing or sharing)

    def as_json(self) -> dict[str, Any]:
        """Return the fields that are not empty, ready for JSON."""
        fields: dict[str, Any] = {
            "seed": self.seed,
            "sharing": self.sharing,
            "features": None if self.features is None else sorted(self.features),
            "without": sorted(self.without),
            "spared": sorted(self.spared),
            "steps": dict(sorted(self.steps.items())),
        }
        has_features = {"features"} if self.features is not None else set()
        return {
            name: value
            for name, value in fields.items()
            if value not in (None, [], {}) or name in has_features
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Return the plan that `as_json` has described; other fields are ignored."""
        return cls(
            seed=fields["seed"],
            sharing=fields.get("sharing"),
            features=frozenset(fields["features"]) if "features" in fields else None,
            without=frozenset(fields.get("without", ())),
            spared=frozenset(fields.get("spared", ())),
            steps=dict(fields.get("steps", {})),
        )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the plan of a seed, or of the JSON that a failure has printed."""
        text = text.strip()
        return cls.from_json(json.loads(text)) if text.startswith("{") else cls(seed=int(text))

    def __str__(self) -> str:
        """Return the seed, or JSON if there is more to say."""
        fields = self.as_json()
        return str(self.seed) if len(fields) == 1 else json.dumps(fields)
