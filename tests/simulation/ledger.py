"""Ledger of a simulation's clients: the sent records, and the responses to them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.simulation.share_session import Record
    from tests.simulation.transactional_producer import Transaction


class Ledger:
    """The clients' view of a simulation, with which the logs are compared."""

    def __init__(self) -> None:
        self.idempotent: dict[bytes, int] = {}
        """Each value of an idempotent producer, and the partition it was sent to."""
        self.acknowledged: set[bytes] = set()
        """Those of them that were acknowledged."""
        self.transactions: list[Transaction] = []
        self.accepted: dict[Record, int] = {}
        """When a share consumer learned that its acceptance of a record was acknowledged."""
        self.moment = 0
        """Counts what share consumers have learned."""

    def sent_by_idempotent(self, index: int, values: list[bytes]) -> None:
        """Record a batch that an idempotent producer is about to send."""
        for value in values:
            self.idempotent[value] = index

    def accept(self, record: "Record") -> None:
        """Record that a share consumer's acceptance of a record was acknowledged."""
        self.moment += 1
        self.accepted.setdefault(record, self.moment)

    def shared(self, record: "Record", began: int) -> None:
        """Check a record that a share consumer got by a fetch that began at a moment."""
        accepted = self.accepted.get(record)
        assert accepted is None or accepted > began, f"accepted, and delivered again: {record}"
