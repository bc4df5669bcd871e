"""Batches of aborted transactions, and acquired records without them."""

from mockbroker.state.share.aborted_batches import (
    AbortedTransaction,
    FetchedBatch,
    aborted_batches,
    without_batches,
)
from mockbroker.state.share.acquired_records import AcquiredRecords as A


def batch(first: int, last: int, producer_id: int = 7) -> FetchedBatch:
    return FetchedBatch(first, last, producer_id, is_transactional=True)


def marker(offset: int, producer_id: int = 7) -> FetchedBatch:
    return FetchedBatch(offset, offset, producer_id, True, True)


def test_batches_of_a_producer_between_its_aborted_begin_and_its_marker() -> None:
    fetched = [batch(0, 4), marker(5), batch(6, 7), batch(8, 9, 8), FetchedBatch(10, 11)]
    assert aborted_batches(fetched, [AbortedTransaction(7, 0)]) == [fetched[0]]
    assert aborted_batches(fetched, [AbortedTransaction(8, 8), AbortedTransaction(7, 2)]) == [
        fetched[0],
        fetched[3],
    ]


def test_records_of_the_same_producer_outside_of_transactions_stay() -> None:
    fetched = [FetchedBatch(0, 4, 7)]
    assert aborted_batches(fetched, [AbortedTransaction(7, 0)]) == []


def test_removal_from_acquired_records() -> None:
    acquired = [A(0, 9, 1), A(10, 19, 2)]
    assert without_batches(acquired, []) == acquired
    assert without_batches(acquired, [batch(0, 9)]) == [A(10, 19, 2)]
    assert without_batches(acquired, [batch(3, 4), batch(8, 12)]) == [
        A(0, 2, 1),
        A(5, 7, 1),
        A(13, 19, 2),
    ]
    assert without_batches(acquired, [batch(0, 99)]) == []
