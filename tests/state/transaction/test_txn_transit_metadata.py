"""The log record of a prepared transition."""

import pytest

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.state.transaction.txn_transit_metadata import TxnTransitMetadata

TRANSIT = TxnTransitMetadata(
    producer_id=7,
    previous_producer_id=6,
    next_producer_id=8,
    producer_epoch=3,
    last_producer_epoch=2,
    next_producer_epoch=-1,
    timeout_ms=60_000,
    state=TransactionState.ONGOING,
    partitions=frozenset({TopicPartition("b", 0), TopicPartition("a", 2), TopicPartition("a", 1)}),
    start_timestamp_ms=100,
    last_update_timestamp_ms=200,
    client_transaction_version=2,
)


def test_a_record_contains_the_transition_with_sorted_partitions() -> None:
    assert TRANSIT.to_log_value(holds_last_epoch=False) == TransactionLogValue(
        producer_id=7,
        producer_epoch=3,
        transaction_timeout_ms=60_000,
        state=1,
        partitions=(TopicPartition("a", 1), TopicPartition("a", 2), TopicPartition("b", 0)),
        last_update_timestamp_ms=200,
        start_timestamp_ms=100,
        previous_producer_id=6,
        next_producer_id=8,
        client_transaction_version=2,
        next_producer_epoch=-1,
        last_producer_epoch=-1,
    )


def test_the_last_epoch_is_written_with_kip_360s_draft() -> None:
    assert TRANSIT.to_log_value(holds_last_epoch=True).last_producer_epoch == 2


def test_an_empty_transaction_has_no_list_of_partitions() -> None:
    empty = TRANSIT._replace(state=TransactionState.EMPTY, partitions=frozenset())
    assert empty.to_log_value(holds_last_epoch=False).partitions is None


def test_an_empty_transaction_with_partitions_is_invalid() -> None:
    with pytest.raises(AssertionError):
        TRANSIT._replace(state=TransactionState.EMPTY).to_log_value(holds_last_epoch=False)
