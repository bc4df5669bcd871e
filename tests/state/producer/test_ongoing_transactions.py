"""The transactions that hold back the last stable offset."""

from mockbroker.state.producer.ongoing_transactions import STABLE, OngoingTransactions


def test_nothing_is_unstable_at_first() -> None:
    transactions = OngoingTransactions()
    assert transactions.first_unstable_offset == STABLE
    assert transactions.first_producer_id is None
    assert len(transactions) == 0


def test_the_oldest_open_transaction_is_the_first_unstable_offset() -> None:
    transactions = OngoingTransactions()
    transactions.start(1, 10)
    transactions.start(2, 15)
    assert transactions.first_unstable_offset == 10
    assert transactions.first_producer_id == 1
    assert list(transactions) == [(10, 1), (15, 2)]


def test_a_transaction_is_unstable_until_its_marker_is_committed() -> None:
    transactions = OngoingTransactions()
    transactions.start(1, 10)
    transactions.start(2, 15)
    transactions.complete(10, 20)
    for high_watermark in (10, 20):
        transactions.advance_high_watermark(high_watermark)
        assert transactions.first_unstable_offset == 10
    transactions.advance_high_watermark(21)
    assert transactions.first_unstable_offset == 15


def test_transactions_that_end_in_another_order_are_stable_in_the_order_of_their_starts() -> None:
    transactions = OngoingTransactions()
    for producer_id, first_offset in enumerate((10, 11, 12)):
        transactions.start(producer_id, first_offset)
    transactions.complete(12, 20)
    transactions.complete(10, 21)
    transactions.complete(11, 22)
    transactions.advance_high_watermark(21)
    assert transactions.first_unstable_offset == 10
    transactions.advance_high_watermark(22)
    assert transactions.first_unstable_offset == 11
    transactions.advance_high_watermark(23)
    assert transactions.first_unstable_offset == STABLE


def test_the_last_stable_offset_of_a_marker_ignores_its_own_transaction() -> None:
    transactions = OngoingTransactions()
    transactions.start(1, 10)
    assert transactions.last_stable_offset_after(1, 20) == 21
    transactions.start(2, 15)
    assert transactions.last_stable_offset_after(1, 20) == 15
    assert transactions.last_stable_offset_after(2, 20) == 10


def test_a_transaction_without_records_can_be_completed() -> None:
    transactions = OngoingTransactions()
    transactions.complete(5, 5)
    transactions.advance_high_watermark(5)
    assert transactions.first_unstable_offset == 5
    transactions.advance_high_watermark(6)
    assert transactions.first_unstable_offset == STABLE


def test_transactions_of_removed_producers_are_removed() -> None:
    transactions = OngoingTransactions()
    transactions.start(1, 10)
    transactions.start(2, 15)
    transactions.forget_producers({1})
    transactions.advance_high_watermark(0)
    assert transactions.first_unstable_offset == 15
    transactions.clear()
    assert transactions.first_unstable_offset == STABLE
