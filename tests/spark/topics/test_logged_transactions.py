"""Transactions in the coordinators' log, and the markers that end them."""

from mockbroker.journal.entry import Entry
from mockbroker.spark.topics.logged_transactions import (
    IdHistory,
    LoggedTransaction,
    matched_markers,
)
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from mockbroker.wire.transactions import TransactionChange


def decided(time_ms: int, *, is_settled: bool = True, epoch: int = 0) -> LoggedTransaction:
    return LoggedTransaction(
        7,
        epoch,
        prepared=1,
        prepared_ms=time_ms,
        marker="COMMIT",
        marker_epoch=epoch,
        is_settled=is_settled,
    )


def marker(time_ms: int, kind: str = "COMMIT", epoch: int = 0) -> Entry:
    return Entry(0, "marker", 0, time_ms, marker=kind, producer_epoch=epoch)


def test_markers_before_the_log_of_the_coordinators_are_matched_with_nothing() -> None:
    last = decided(30)
    found = matched_markers([last], [marker(10), marker(20), marker(30)], is_whole=False)
    assert found.transactions == {2: last}
    assert found.is_exact


def test_a_whole_history_is_matched_from_its_beginning() -> None:
    first = decided(10)
    found = matched_markers([first], [marker(10), marker(20)], is_whole=True)
    assert found.transactions == {0: first}


def test_a_marker_of_another_kind_or_epoch_is_matched_with_nothing() -> None:
    first, second = decided(10), decided(20, epoch=1)
    markers = [marker(10), marker(15, "ABORT"), marker(16, epoch=9), marker(20, epoch=1)]
    found = matched_markers([first, second], markers, is_whole=False)
    assert found.transactions == {0: first, 3: second}


def test_a_decision_that_was_made_meanwhile_may_have_no_marker_yet() -> None:
    first, second = decided(10), decided(20, is_settled=False)
    found = matched_markers([first, second], [marker(11)], is_whole=False)
    assert found.transactions == {0: first}
    assert not found.is_exact


def change(offset: int, state: int, epoch: int = 0) -> TransactionChange:
    value = TransactionLogValue(7, epoch, 0, state, (), 0, 0)
    return TransactionChange(0, offset, 0, offset, "x", value)


def test_a_history_has_its_transactions_and_which_of_them_are_settled() -> None:
    states = [0, 1, 2, 4, 1, 3, 5, 1]
    history = IdHistory([change(each, state) for each, state in enumerate(states)], {0: 5})
    assert history.is_whole
    assert [(each.marker, each.complete, each.is_settled) for each in history.transactions] == [
        *(("COMMIT", 3, True), ("ABORT", 6, False), (None, None, False))
    ]


def test_a_history_that_begins_with_a_decision_does_not_know_the_epoch_of_its_batches() -> None:
    history = IdHistory([change(0, 2, epoch=4), change(1, 4, epoch=4)], {})
    assert not history.is_whole
    (only,) = history.transactions
    assert (only.batch_epoch, only.marker_epoch) == (None, 4)
