"""Index of a log's aborted transactions, whose records read_committed readers skip (KIP-98)."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple


class AbortedTxn(NamedTuple):
    """A transaction that was aborted (Kafka's `AbortedTxn`)."""

    producer_id: int
    first_offset: int
    last_offset: int
    """The offset of the ABORT marker."""
    last_stable_offset: int
    """The first offset that was still undecided after this transaction's marker."""


_last_offset_of = attrgetter("last_offset")


class TransactionIndex:
    """A log's aborted transactions in the order of their markers (`TransactionIndex`).

    In Kafka every segment has its own; entries go with their segment either way.
    """

    __slots__ = ("_aborted",)

    def __init__(self) -> None:
        """Start empty."""
        self._aborted: list[AbortedTxn] = []

    def __len__(self) -> int:
        """Count the transactions."""
        return len(self._aborted)

    def __iter__(self) -> Iterator[AbortedTxn]:
        """Yield the transactions in the order of their markers."""
        return iter(self._aborted)

    def append(self, aborted: AbortedTxn) -> None:
        """Add the transaction that was aborted last."""
        assert not self._aborted or aborted.last_offset > self._aborted[-1].last_offset, aborted
        self._aborted.append(aborted)

    def collect(self, fetch_offset: int, up_to_offset: int) -> list[AbortedTxn]:
        """Return the transactions with records from `fetch_offset` on and before `up_to_offset`.

        The search stops at the first one after which nothing before `up_to_offset` was undecided.
        """
        aborted = self._aborted
        found: list[AbortedTxn] = []
        start = bisect_left(aborted, fetch_offset, key=_last_offset_of)
        for position in range(start, len(aborted)):
            transaction = aborted[position]
            if transaction.first_offset < up_to_offset:
                found.append(transaction)
            if transaction.last_stable_offset >= up_to_offset:
                break
        return found

    def copy(self) -> "TransactionIndex":
        """Return a copy with the same transactions."""
        made = TransactionIndex()
        made.replace(self._aborted)
        return made

    def replace(self, aborted: Sequence[AbortedTxn]) -> None:
        """Replace all transactions by these, given in the order of their markers."""
        self._aborted = list(aborted)

    def truncate_from_start(self, offset: int) -> None:
        """Remove the transactions whose marker lies before `offset`."""
        del self._aborted[: bisect_left(self._aborted, offset, key=_last_offset_of)]

    def truncate_to(self, offset: int) -> None:
        """Remove the transactions whose marker lies at or after `offset`."""
        del self._aborted[bisect_left(self._aborted, offset, key=_last_offset_of) :]
