"""Generated scripts: requests in a random order.

What comes next is drawn from a seeded generator and from what was answered, so that the same seed
walks the same way wherever the answers are the same. Between steps a walk waits until Kafka has
done what it does by itself, or the order of two things would be a matter of chance.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final, TypeVar

from mockbroker.protocol.schema.message import Message
from tests.conformance.talk import Talk
from tests.conformance.wire import Answer

STEPS: Final = 60
Drawn = TypeVar("Drawn")


class Walk:
    """What all walks have: a conversation, chance, and the number of the step they are at."""

    def __init__(self, talk: Talk, seed: int) -> None:
        """Be ready to walk."""
        self.talk = talk
        self.random = Random(seed)
        self.number = 0
        self.is_over = False

    def go(self, ways: Mapping[Callable[[], None], float]) -> None:
        """Take steps, drawn from the ways by their weights, until there are enough of them."""
        while self.number < STEPS and not self.is_over:
            self.number += 1
            self.drawn(ways)()

    def drawn(self, weights: Mapping[Drawn, float]) -> Drawn:
        """Draw one of several, by their weights."""
        [one] = self.random.choices(list(weights), list(weights.values()))
        return one

    def happens(self, share: float) -> bool:
        """Let chance decide."""
        return self.random.random() < share

    def ask(self, title: str, request: Message, version: int) -> Answer:
        """Ask, until there is an answer that will not be another one in a moment."""
        return self.talk.ask_patiently(f"{self.number}. {title}", request, version)
