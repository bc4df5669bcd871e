"""The aborted transactions that a read_committed reader gets."""

import pytest

from mockbroker.state.producer.transaction_index import AbortedTxn, TransactionIndex

FIRST = AbortedTxn(1, first_offset=0, last_offset=10, last_stable_offset=2)
SECOND = AbortedTxn(2, first_offset=2, last_offset=12, last_stable_offset=13)
THIRD = AbortedTxn(3, first_offset=18, last_offset=25, last_stable_offset=20)
FOURTH = AbortedTxn(4, first_offset=20, last_offset=30, last_stable_offset=31)


def index_of(*aborted: AbortedTxn) -> TransactionIndex:
    index = TransactionIndex()
    for transaction in aborted:
        index.append(transaction)
    return index


@pytest.mark.parametrize(
    ("fetch_offset", "up_to_offset", "found"),
    [
        (0, 100, [FIRST, SECOND, THIRD, FOURTH]),
        (0, 32, [FIRST, SECOND, THIRD, FOURTH]),
        (0, 18, [FIRST, SECOND]),  # the third begins there
        (0, 19, [FIRST, SECOND, THIRD]),
        (0, 2, [FIRST]),  # after which all before 2 was decided
        (10, 13, [FIRST, SECOND]),
        (11, 13, [SECOND]),
        (13, 18, []),
        (13, 31, [THIRD, FOURTH]),
        (26, 31, [FOURTH]),
        (31, 100, []),
        (0, 0, []),
    ],
)
def test_transactions_are_found_by_the_offsets_of_a_read(
    fetch_offset: int, up_to_offset: int, found: list[AbortedTxn]
) -> None:
    index = index_of(FIRST, SECOND, THIRD, FOURTH)
    assert index.collect(fetch_offset, up_to_offset) == found


def test_an_index_is_empty_at_first() -> None:
    index = TransactionIndex()
    assert len(index) == 0
    assert index.collect(0, 100) == []


@pytest.mark.parametrize(
    ("offset", "kept"),
    [
        (0, [FIRST, SECOND]),
        (10, [FIRST, SECOND]),
        (11, [SECOND]),
        (12, [SECOND]),
        (13, []),
    ],
)
def test_a_transaction_is_removed_with_its_marker(offset: int, kept: list[AbortedTxn]) -> None:
    index = index_of(FIRST, SECOND)
    index.truncate_from_start(offset)
    assert list(index) == kept


def test_markers_are_added_in_the_order_of_the_log() -> None:
    with pytest.raises(AssertionError):
        index_of(SECOND, FIRST)


def test_compaction_leaves_the_transactions_that_it_is_given() -> None:
    index = index_of(FIRST, SECOND, THIRD)
    left = [FIRST, THIRD]
    index.replace(left)
    index.append(FOURTH)
    assert list(index) == [FIRST, THIRD, FOURTH]
    assert left == [FIRST, THIRD]
