"""Guide of a fleet: the next plans have features that have led to rare states before.

Most of a fleet's plans have a random set of features: where much is left out, what remains occurs
more often. The others have the features of a plan that has reached a rare state, but for one.
"""

import random
from collections import defaultdict, deque
from collections.abc import Iterable
from typing import Final

from mockbroker.exploration.search.coverage import SeenKinds
from tests.simulation.features import FEATURES, any_features
from tests.simulation.plan import Plan

_AS_THE_SEED_CHOOSES: Final = 0.2
_NEAR_A_RARE_STATE: Final = 0.5
_REMEMBERED: Final = 16
"""How many sets of features are remembered for each state: the last ones."""


class Guide:
    """Chooses the features of plans by what plans have reached."""

    def __init__(self, seed: int) -> None:
        self.coverage: Final[SeenKinds[str]] = SeenKinds()
        """The number of simulations that have reached each state."""
        self._choice: Final = random.Random(f"{seed} guide")
        self._sets: Final[dict[str, deque[frozenset[str]]]] = defaultdict(
            lambda: deque(maxlen=_REMEMBERED)
        )

    def plan(self, seed: int, sharing: str | None = None) -> Plan:
        """Return the plan of a seed, with a group of a protocol if one is needed."""
        features = self._features()
        if features is not None and sharing is not None:
            features |= {sharing}
        return Plan(seed=seed, sharing=sharing, features=features)

    def learn(self, plan: Plan, states: Iterable[str]) -> None:
        """Remember which states a plan has reached."""
        for state in states:
            self.coverage.add(state)
            if plan.features is not None:
                self._sets[state].append(plan.features)

    def _features(self) -> frozenset[str] | None:
        lot = self._choice.random()
        if lot < _AS_THE_SEED_CHOOSES:
            return None
        if lot < 1 - _NEAR_A_RARE_STATE or not self._sets:
            return any_features(self._choice)
        found = self._sets.get(self.coverage.rare(self._choice))
        if not found:
            return any_features(self._choice)
        return self._choice.choice(found) ^ {self._choice.choice(FEATURES)}
