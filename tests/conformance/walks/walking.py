"""Generated scripts: requests in a random order.

A seeded generator and the responses determine the next request, so that a seed gives the same
script as long as the responses are the same. Between steps, a walk waits until Kafka has finished
its background work; otherwise the order of two events would be random.
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
    """Base of all walks: the connection, the random generator, and the number of the step."""

    def __init__(self, talk: Talk, seed: int) -> None:
        """Start without steps."""
        self.talk = talk
        self.random = Random(seed)
        self.number = 0
        self.steps = STEPS
        self.is_over = False

    def go(self, ways: Mapping[Callable[[], None], float]) -> None:
        """Run steps, chosen at random by their weights, until there are enough."""
        while self.number < self.steps and not self.is_over:
            self.number += 1
            self.drawn(ways)()

    def drawn(self, weights: Mapping[Drawn, float]) -> Drawn:
        """Choose one of several at random, by their weights."""
        [one] = self.random.choices(list(weights), list(weights.values()))
        return one

    def happens(self, share: float) -> bool:
        """Return True at random, with a probability."""
        return self.random.random() < share

    def ask(self, title: str, request: Message, version: int) -> Answer:
        """Repeat a request until its response is not transient."""
        return self.talk.ask_patiently(f"{self.number}. {title}", request, version)
