"""Checker of a history: what clients have sent, been told and read, against Kafka's guarantees.

It knows no logs and no rules of the audit. A record that a client was told is written is read,
once, in the order of its producer; a transaction is read completely or not at all, and not before
its client has asked for its commit; and all readers see the same record at an offset.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

_AT_THE_END: Final = 1 << 62
Outcome: TypeAlias = Literal["open", "committed", "aborted", "in doubt"]
"""States in the client's view; a commit is in doubt if it was sent and never confirmed."""


@dataclass(eq=False)
class Transaction:
    """One transaction in the client's view."""

    client: str
    values: list[tuple[str, int, bytes]] = field(default_factory=list[tuple[str, int, bytes]])
    """Topic, partition and value of all records of the transaction."""
    outcome: Outcome = "open"
    asked_at: int | None = None
    """The moment at which its client first asked for the commit."""


@dataclass(eq=False)
class Write:
    """A record that a client has sent, once or several times."""

    value: bytes
    partition: int
    session: Hashable
    """The producer: its records of a partition are in order."""
    transaction: Transaction | None = None
    is_acknowledged: bool = False

    @property
    def must_be_there(self) -> bool:
        """True if the client was told that the record is written for good."""
        if self.transaction is None:
            return self.is_acknowledged
        return self.transaction.outcome == "committed"

    def may_be_read_at(self, moment: int) -> bool:
        """Return whether a reader of committed records may have got it by then."""
        if self.transaction is None:
            return True
        asked_at = self.transaction.asked_at
        return asked_at is not None and asked_at <= moment


class Read(NamedTuple):
    """A record that a reader was given."""

    reader: str
    is_committed: bool
    partition: int
    offset: int
    value: bytes
    moment: int


def anomalies(
    writes: Sequence[Write],
    reads: Sequence[Read],
    watched: Collection[int],
    gone: Collection[bytes] = frozenset(),
) -> Iterator[str]:
    """Yield what breaks a promise.

    `watched` are the partitions that a reader of committed records has read to the end, `gone` the
    values of records that were deleted.
    """
    kept = [each for each in reads if each.value not in gone]
    committed = [each for each in kept if each.is_committed]
    by_value: dict[bytes, list[Write]] = defaultdict(list)
    for write in writes:
        by_value[write.value].append(write)
    yield from _early(by_value, committed)
    yield from _doubled(committed)
    yield from _reordered(by_value, kept)
    awaited = [each for each in writes if each.partition in watched and each.value not in gone]
    yield from _lost(awaited, committed)
    yield from _torn([each for each in awaited if len(by_value[each.value]) == 1], committed)
    yield from _contradictory(kept)


def _early(by_value: dict[bytes, list[Write]], reads: Iterable[Read]) -> Iterator[str]:
    """Yield reads of records that were not committed then: aborted ones, and dirty ones."""
    for read in reads:
        sent = by_value.get(read.value)
        if not sent:
            yield f"read and never sent: {read}"
        elif not any(write.may_be_read_at(read.moment) for write in sent):
            is_early = any(write.may_be_read_at(_AT_THE_END) for write in sent)
            yield f"{'dirty' if is_early else 'aborted'} read: {read}"


def _doubled(reads: Iterable[Read]) -> Iterator[str]:
    places: dict[bytes, set[tuple[int, int]]] = defaultdict(set)
    for read in reads:
        places[read.value].add((read.partition, read.offset))
    for value, found in places.items():
        if len(found) > 1:
            yield f"read twice: {value!r} at {sorted(found)}"


def _reordered(by_value: dict[bytes, list[Write]], reads: Iterable[Read]) -> Iterator[str]:
    """Yield records that a reader got in another order than their producer has sent them."""
    order = {value: number for number, value in enumerate(by_value)}
    last: dict[tuple[str, Hashable], Read] = {}
    for read in reads:
        sent = by_value.get(read.value, ())
        if len(sent) != 1:
            continue
        stream = (read.reader, sent[0].session)
        before = last.get(stream)
        if before is not None and order[before.value] > order[read.value]:
            yield f"out of order: {before.value!r} before {read.value!r} in {read.reader}"
        last[stream] = read


def _lost(writes: Iterable[Write], reads: Iterable[Read]) -> Iterator[str]:
    read = {(each.partition, each.value) for each in reads}
    for write in writes:
        if write.must_be_there and (write.partition, write.value) not in read:
            yield f"promised and never read: {write.value!r}"


def _torn(writes: Iterable[Write], reads: Iterable[Read]) -> Iterator[str]:
    """Yield transactions of which a part was read."""
    read = {(each.partition, each.value) for each in reads}
    parts: dict[Transaction, set[bool]] = defaultdict(set)
    for write in writes:
        if write.transaction is not None:
            parts[write.transaction].add((write.partition, write.value) in read)
    for transaction, shown in parts.items():
        if transaction.outcome == "in doubt" and len(shown) > 1:
            yield f"half a transaction was read: {transaction}"


def _contradictory(reads: Iterable[Read]) -> Iterator[str]:
    known: dict[tuple[int, int], Read] = {}
    for read in reads:
        other = known.setdefault((read.partition, read.offset), read)
        if other.value != read.value:
            yield f"two records at one offset: {other}, {read}"
