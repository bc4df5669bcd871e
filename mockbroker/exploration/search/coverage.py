"""Coverage: how often each kind was seen, so that what is new or rare comes first."""

import random
from collections import Counter
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

KindT = TypeVar("KindT", bound=Hashable)


class SeenKinds(Generic[KindT]):
    """Counts the kinds that an exploration, or a fleet of simulations, has seen."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.counts: Final[Counter[KindT]] = Counter()

    def add(self, kind: KindT) -> int:
        """Count a kind; return how often it was seen before."""
        before = self.counts[kind]
        self.counts[kind] += 1
        return before

    def rare(self, choice: random.Random) -> KindT:
        """Choose a kind that was seen; one that was seen half as often is twice as likely."""
        kinds = list(self.counts)
        (chosen,) = choice.choices(kinds, [1 / self.counts[kind] for kind in kinds])
        return chosen
