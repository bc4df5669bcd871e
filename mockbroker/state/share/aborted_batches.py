"""Batches of aborted transactions among those that were fetched for a share group.

Groups with `share.isolation.level=read_committed` do not get their records; consumers cannot filter
them, since a share group's ShareFetch response lists no aborted transactions.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mockbroker.protocol.types import NO_PRODUCER_ID
from mockbroker.state.share.acquired_records import AcquiredRecords


class FetchedBatch(NamedTuple):
    """The facts of a fetched batch that its acquisition needs."""

    base_offset: int
    last_offset: int
    producer_id: int = NO_PRODUCER_ID
    is_transactional: bool = False
    is_abort_marker: bool = False


class AbortedTransaction(NamedTuple):
    """An aborted transaction that has records at or after the fetch offset."""

    producer_id: int
    first_offset: int


def aborted_batches(
    fetched: Iterable[FetchedBatch], aborted: Iterable[AbortedTransaction]
) -> list[FetchedBatch]:
    """Return the batches that belong to aborted transactions, in order."""
    waiting = sorted(aborted, key=lambda each: each.first_offset, reverse=True)
    producers: set[int] = set()
    found: list[FetchedBatch] = []
    for batch in fetched:
        if batch.producer_id == NO_PRODUCER_ID:
            continue
        while waiting and waiting[-1].first_offset <= batch.last_offset:
            producers.add(waiting.pop().producer_id)
        if batch.is_abort_marker:
            producers.discard(batch.producer_id)
        elif batch.is_transactional and batch.producer_id in producers:
            found.append(batch)
    return found


def without_batches(
    acquired: Iterable[AcquiredRecords], removed: Sequence[FetchedBatch]
) -> list[AcquiredRecords]:
    """Return what remains of acquired records without the offsets of some batches.

    Both are in order, and neither overlaps itself.
    """
    result: list[AcquiredRecords] = []
    for first, last, count in acquired:
        begin = first
        for batch in removed:
            if batch.last_offset < begin or batch.base_offset > last:
                continue
            if begin < batch.base_offset:
                result.append(AcquiredRecords(begin, batch.base_offset - 1, count))
            begin = batch.last_offset + 1
        if begin <= last:
            result.append(AcquiredRecords(begin, last, count))
    return result
