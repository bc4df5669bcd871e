"""Transactions as the log of the coordinators has them, and the markers that end them in a log."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mockbroker.journal.entry import Entry
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.wire.transactions import TransactionChange

MARKERS: Final = {
    TransactionState.PREPARE_COMMIT: "COMMIT",
    TransactionState.PREPARE_ABORT: "ABORT",
}
_COMPLETE: Final = (TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT)


@dataclass(slots=True)
class LoggedTransaction:
    """One transaction of a transactional id; changes are numbered within the id's log."""

    producer_id: int
    batch_epoch: int | None
    """The epoch of its batches; None if the log begins with its decision."""
    begun: int | None = None
    """The change that began it; None if that is before the log."""
    added: dict[TopicPartition, int | None] = field(
        default_factory=dict[TopicPartition, "int | None"]
    )
    """The change that added each partition; None if it is before the log."""
    prepared: int | None = None
    """The change that decided its outcome."""
    prepared_ms: int = 0
    marker: str | None = None
    marker_epoch: int = -1
    complete: int | None = None
    is_settled: bool = False
    """True if it was complete before the ends of the topics' logs were read: its markers are in
    them."""


@dataclass(slots=True)
class IdHistory:
    """All changes of one transactional id, in order."""

    changes: Sequence[TransactionChange]
    settled: Mapping[int, int]
    """By partition: the end of the coordinators' log, before the topics' ends were read."""
    transactions: list[LoggedTransaction] = field(default_factory=list[LoggedTransaction])

    def __post_init__(self) -> None:
        """Find the transactions."""
        current: LoggedTransaction | None = None
        for number, change in enumerate(self.changes):
            current = self._after(current, number, change)

    @property
    def is_whole(self) -> bool:
        """True if it begins with the creation of the id."""
        first = self.changes[0].value
        return (
            first is not None
            and first.state == TransactionState.EMPTY
            and first.producer_epoch == 0
        )

    def _after(
        self, current: LoggedTransaction | None, number: int, change: TransactionChange
    ) -> LoggedTransaction | None:
        """Return the transaction that is not complete after a change."""
        value = change.value
        if value is None or value.state == TransactionState.EMPTY:
            return None
        if value.state in _COMPLETE:
            if current is not None:
                current.complete = number
                current.is_settled = change.offset < self.settled.get(change.partition, 0)
            return None
        if current is None or (value.state == TransactionState.ONGOING and current.marker):
            is_begun = value.state == TransactionState.ONGOING
            batch_epoch = value.producer_epoch if is_begun else None
            begun = number if is_begun else None
            current = LoggedTransaction(value.producer_id, batch_epoch, begun)
            self.transactions.append(current)
        known = number if value.state == TransactionState.ONGOING else None
        for partition in value.partitions or ():
            current.added.setdefault(partition, known)
        if value.state in MARKERS:
            _decide(current, number, change.timestamp_ms, value)
        return current


def _decide(
    current: LoggedTransaction, number: int, time_ms: int, value: TransactionLogValue
) -> None:
    current.prepared, current.prepared_ms = number, time_ms
    current.marker = MARKERS[TransactionState(value.state)]
    current.marker_epoch = value.producer_epoch


class MatchedMarkers(NamedTuple):
    """The transaction that each marker of a producer in a partition ends, by its number."""

    transactions: Mapping[int, LoggedTransaction]
    is_exact: bool
    """False if transactions ended meanwhile, so that another match is possible."""


def matched_markers(
    decided: Sequence[LoggedTransaction],
    markers: Sequence[Entry],
    *,
    is_whole: bool,
    ending: Sequence[int] = (),
) -> MatchedMarkers:
    """Match decisions and markers, both in order.

    The log of the coordinators may begin later than the partition's, or earlier, and it was read a
    moment later: its last decisions may have no markers yet. With `is_whole`, both begin with the
    transactional id. `ending` is that of `ending_markers`: a new coordinator may send a marker
    again, which ends nothing.
    """
    best: tuple[tuple[int, int], dict[int, LoggedTransaction]] | None = None
    unsettled = (at for at, each in enumerate(decided) if not each.is_settled)
    least = next(unsettled, len(decided))
    for left in range(len(decided), least - 1, -1):
        found = _from_the_end(decided[:left], markers)
        first = min(found, default=len(markers))
        unmatched = len(markers) - first - len(found)
        apart_ms = sum(
            abs(each.prepared_ms - markers[number].virtual_time_ms)
            for number, each in found.items()
        )
        score = unmatched, apart_ms // max(len(found), 1)
        if found and (best is None or score < best[0]):
            best = score, found
    found = {} if best is None else best[1]
    is_exact = least == len(decided)
    if is_whole and is_exact and min(found, default=0) > 0:
        ended = dict(zip(ending, decided, strict=False))
        if len(ending) == len(decided) and all(_ends(markers[n], t) for n, t in ended.items()):
            return MatchedMarkers(ended, is_exact)
        return MatchedMarkers(_from_the_beginning(decided, markers), is_exact)
    return MatchedMarkers(found, is_exact)


def ending_markers(entries: Iterable[Entry]) -> list[int]:
    """Return the numbers of a producer's markers in a log that follow one of its batches."""
    found: list[int] = []
    number, is_open = 0, False
    for entry in entries:
        if entry.marker is not None:
            found += [number] if is_open else []
            number += 1
        is_open = entry.marker is None
    return found


def _ends(marker: Entry, decided: LoggedTransaction) -> bool:
    said = marker.marker, marker.producer_epoch
    return said == (decided.marker, decided.marker_epoch)


def _from_the_end(
    decided: Sequence[LoggedTransaction], markers: Sequence[Entry]
) -> dict[int, LoggedTransaction]:
    found: dict[int, LoggedTransaction] = {}
    number = len(markers)
    for each in reversed(decided):
        number = next((i for i in range(number - 1, -1, -1) if _ends(markers[i], each)), -1)
        if number < 0:
            break
        found[number] = each
    return found


def _from_the_beginning(
    decided: Sequence[LoggedTransaction], markers: Sequence[Entry]
) -> dict[int, LoggedTransaction]:
    found: dict[int, LoggedTransaction] = {}
    coming = iter(decided)
    each = next(coming, None)
    for number, marker in enumerate(markers):
        if each is not None and _ends(marker, each):
            found[number] = each
            each = next(coming, None)
    return found
