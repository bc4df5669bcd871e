"""Ledger of a simulation's clients: the sent records, and the responses to them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.simulation.transactional_producer import Transaction


class Ledger:
    """The clients' view of a simulation, with which the logs are compared."""

    def __init__(self) -> None:
        self.idempotent: dict[bytes, int] = {}
        """Each value of an idempotent producer, and the partition it was sent to."""
        self.acknowledged: set[bytes] = set()
        """Those of them that were acknowledged."""
        self.transactions: list[Transaction] = []

    def sent_by_idempotent(self, index: int, values: list[bytes]) -> None:
        """Record a batch that an idempotent producer is about to send."""
        for value in values:
            self.idempotent[value] = index
