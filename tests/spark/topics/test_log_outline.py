"""Outlines of logs: the rows that tell the order of transactions."""

from mockbroker.journal.entry import Entry
from mockbroker.spark.topics.log_outline import BEHIND_MAX, GAP, outlined, transactions_of
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.spark.topics.logged_rows import batch, changes

COMMIT, DONE = TransactionState.PREPARE_COMMIT, TransactionState.COMPLETE_COMMIT


def transaction(offset: int, batches: int, producer_id: int = 7) -> list[Entry]:
    rows = [batch("a", offset + each, producer_id) for each in range(batches)]
    return [*rows, batch("a", offset + batches, producer_id, "COMMIT")]


def offsets(rows: list[Entry]) -> list[int | None]:
    return [each.base_offset for each in rows]


def test_of_a_transaction_the_first_and_the_last_batch_and_the_marker_stay() -> None:
    rows = [*transaction(0, 5), *transaction(6, 1), *transaction(8, 0)]
    assert offsets(outlined(rows, {7: 3})) == [0, 4, 5, 6, 7, 8]


def test_batches_of_another_epoch_stay_beside_those_of_the_transaction() -> None:
    rows = transaction(0, 6)
    rows[3] = rows[3]._replace(producer_epoch=1)
    assert offsets(outlined(rows, {7: 1})) == [0, 2, 3, 4, 5, 6]


def test_rows_of_other_producers_and_outside_of_transactions_are_left_out() -> None:
    rows = [batch("a", 0, 7)._replace(is_transactional=False), *transaction(1, 1, producer_id=8)]
    assert outlined(rows, {7: 1}) == []


def test_of_more_transactions_than_the_coordinator_has_the_last_ones_stay() -> None:
    rows = [row for number in range(BEHIND_MAX + 3) for row in transaction(2 * number, 1)]
    outline = outlined(rows, {7: 1})
    assert offsets(outline) == [*range(4, 2 * BEHIND_MAX + 6)]
    assert {each.log_start_offset for each in outline} == {1}
    whole = outlined(rows, {7: 4})
    assert offsets(whole) == offsets(rows)
    assert {each.log_start_offset for each in whole} == {0}


def test_of_a_log_with_gaps_the_outline_has_only_that() -> None:
    rows = [*transaction(0, 5), *transaction(8, 1)]
    rows[6] = rows[6]._replace(kind=GAP)
    assert outlined(rows, {7: 3}) == [rows[6]]
    assert outlined(rows, {8: 3}) == [], "no transaction of these producers is in it"


def test_transactions_are_counted_by_their_decisions() -> None:
    two = changes("x", 7, (COMMIT, "a", 1), (DONE, "", 2), (COMMIT, "a", 3))
    begun = changes("y", 8, (TransactionState.EMPTY, "", 1))
    assert transactions_of([*two, *begun]) == {7: 2, 8: 0}
