"""Ledger of a simulation's clients: the sent records, and the responses to them."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

from tests.simulation.history import Transaction, Write

if TYPE_CHECKING:
    from tests.simulation.share_session import Record


class Committed(NamedTuple):
    """An acknowledged commit of a member's offset."""

    member: str
    generation: int
    moment: int


class Ledger:
    """The clients' view of a simulation, with which the logs are compared."""

    def __init__(self) -> None:
        self.writes: list[Write] = []
        """All records of `orders`, in the order in which they were first sent."""
        self.acknowledged: set[bytes] = set()
        """The values of idempotent producers that were acknowledged."""
        self.transactions: list[Transaction] = []
        self.commits: dict[int, list[Committed]] = {}
        """The commits of members outside of transactions, by partition."""
        self.accepted: dict[Record, int] = {}
        """When a share consumer learned that its acceptance of a record was acknowledged."""
        self.moment = 0
        """Counts what clients have asked for and learned."""

    def tick(self) -> int:
        """Return another moment, later than those before."""
        self.moment += 1
        return self.moment

    def sent(
        self,
        session: Hashable,
        index: int,
        values: list[bytes],
        transaction: Transaction | None = None,
    ) -> None:
        """Record a batch that a producer is about to send for the first time."""
        self.writes += [Write(value, index, session, transaction) for value in values]

    def acknowledge(self, values: list[bytes]) -> None:
        """Record that a batch outside of a transaction is written for good."""
        self.acknowledged.update(values)
        for write in self.writes:
            write.is_acknowledged |= write.transaction is None and write.value in values

    def committed(self, index: int, member: str, generation: int, asked_at: int) -> None:
        """Check a commit that was acknowledged: no member of a later generation was there first."""
        commits = self.commits.setdefault(index, [])
        for other in commits:
            is_stale = other.member != member and other.generation > generation
            assert not is_stale or other.moment > asked_at, (
                f"an offset was committed in generation {generation} of {member}, after {other}"
            )
        commits.append(Committed(member, generation, self.tick()))

    def accept(self, record: "Record") -> None:
        """Record that a share consumer's acceptance of a record was acknowledged."""
        self.accepted.setdefault(record, self.tick())

    def shared(self, record: "Record", began: int) -> None:
        """Check a record that a share consumer got by a fetch that began at a moment."""
        accepted = self.accepted.get(record)
        assert accepted is None or accepted > began, f"accepted, and delivered again: {record}"
