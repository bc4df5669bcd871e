"""Experiments: one effect at one point, in the form of a scenario."""

from dataclasses import dataclass
from typing import Any, Final

from mockbroker.exploration.points import Point

FAULT: Final = "explored"
"""Id of the fault of an experiment."""
SECOND: Final = "-2"
"""End of the ids of the second experiment of a pair."""
ANSWERED: Final = " answered with "
"""Part of the names of effects that answer with an error."""
LONG: Final = "15m"
"""Longer than the transaction timeout of every client, unless it sets another."""

Effect = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Experiment:
    """One effect at one point."""

    point: Point
    effect: str
    """What happens, in a few words: `the answer is lost`."""
    state: str
    """State of the point's transactional id or group in the run without faults."""
    faults: tuple[Effect, ...]
    steps: tuple[Any, ...] = ()
    needs_time: bool = False
    """True if the client has to wait for its own timeout."""
    around: str = ""
    """The rest of the situation of the point: see `SeenCall`."""
    parts: tuple["Experiment", ...] = ()
    """The experiments of a pair, in the order of their points."""

    @property
    def name(self) -> str:
        """The name, by which a later run finds it again."""
        if self.parts:
            return "; then ".join(each.name for each in self.parts)
        return f"{self.point}: {self.effect}"

    @property
    def kind(self) -> tuple[object, ...]:
        """What makes it different from others: API, situation and effect."""
        if self.parts:
            return tuple(each.kind for each in self.parts)
        return self.point.api, self.state, self.around, self.effect

    @property
    def fault_ids(self) -> list[str]:
        """Ids of the faults that have to fire."""
        return [FAULT, *([f"{FAULT}{SECOND}"] if self.parts else [])]

    def scenario(self) -> dict[str, Any]:
        """Return the scenario, without its cluster."""
        return {"name": self.name, "faults": list(self.faults), "steps": list(self.steps)}
