"""Outline of a log: of each transaction its first and its last batch, and its marker.

The order of a log among the changes of transactional ids follows from these alone. Workers read the
logs, and the driver gets a few rows of each transaction that the coordinators' log may have.
"""

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from typing import Final

from mockbroker.journal.entry import Entry
from mockbroker.spark.topics.logged_transactions import MARKERS
from mockbroker.wire.transactions import TransactionChange

_FIRST_AND_LAST: Final = 2
OUTLINED: Final = (
    *("kind", "topic", "partition", "producer_id", "producer_epoch", "is_transactional", "marker"),
    *("coordinator_epoch", "base_offset", "last_offset", "log_start_offset", "virtual_time_ms"),
)
"""The columns of a log's rows that an outline needs."""
BEHIND_MAX: Final = 16
"""So many more transactions of a producer stay than the coordinators' log has decided."""
GAP: Final = "gap"
"""Kind of a row before which records are missing."""


def transactions_of(changes: Iterable[TransactionChange]) -> dict[int, int]:
    """Return the number of transactions that each producer has ended in the coordinators' log."""
    found: Counter[int] = Counter()
    for change in changes:
        if change.value is not None:
            found[change.value.producer_id] += change.value.state in MARKERS
    return dict(found)


def outlined(rows: Iterable[Entry], wanted: Mapping[int, int]) -> list[Entry]:
    """Return the outline of a log, whose rows are in order; of one with a `GAP` only that.

    `wanted` has the producers, each with the number of transactions that matter: the last ones.
    """
    found: dict[int, deque[list[Entry]]] = {}
    cut: set[int] = set()
    gap: Entry | None = None
    for row in rows:
        gap = row if row.kind == GAP else gap
        producer_id = row.producer_id
        if producer_id not in wanted or not (row.marker or row.is_transactional):
            continue
        assert producer_id is not None, row
        if producer_id not in found:
            found[producer_id] = deque([[]], maxlen=wanted[producer_id] + BEHIND_MAX + 1)
        transactions = found[producer_id]
        _add(transactions[-1], row)
        if row.marker:
            if len(transactions) == transactions.maxlen:
                cut.add(producer_id)
            transactions.append([])
    if gap is not None:
        return [gap] if found else []
    outline = (
        row._replace(log_start_offset=max(row.log_start_offset or 0, 1))
        if producer_id in cut  # it is as if the log began later
        else row
        for producer_id, transactions in found.items()
        for of_one in transactions
        for row in of_one
    )
    return sorted(outline, key=lambda row: row.base_offset or 0)


def _add(transaction: list[Entry], row: Entry) -> None:
    """Add a row; of batches with the same epoch, only the first and the last stay."""
    same = [
        each for each in transaction[-_FIRST_AND_LAST:] if each.producer_epoch == row.producer_epoch
    ]
    if row.marker is None and len(same) == _FIRST_AND_LAST:
        transaction[-1] = row
    else:
        transaction.append(row)
