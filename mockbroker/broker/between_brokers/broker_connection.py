"""Connection of a broker to another one, with one request in flight at a time.

In Kafka, the requests of `AddPartitionsToTxnManager` wait until the response to the one before, its
loss, or its timeout. A new request for a transaction replaces one that waits.
"""

from collections.abc import Callable
from typing import Final, NamedTuple


class Waiting(NamedTuple):
    """A request that is not sent yet."""

    send: Callable[[], None]
    give_up: Callable[[], None]
    """Called instead if a later request replaces it."""


class BrokerConnection:
    """Requests of one broker to another."""

    __slots__ = ("is_busy", "waiting")

    def __init__(self) -> None:
        """Start without requests."""
        self.is_busy = False
        """True while a request is in flight."""
        self.waiting: Final[dict[str, Waiting]] = {}
        """The requests that wait for it, by their transactions."""

    def wait(self, transactional_id: str, request: Waiting) -> None:
        """Send a request when no other is in flight, instead of one that waits for its subject."""
        replaced = self.waiting.pop(transactional_id, None)
        self.waiting[transactional_id] = request
        if replaced is not None:
            replaced.give_up()

    def become_free(self) -> None:
        """Send the requests that wait, up to the next one that stays in flight."""
        self.is_busy = False
        while self.waiting and not self.is_busy:
            transactional_id = next(iter(self.waiting))
            self.waiting.pop(transactional_id).send()
