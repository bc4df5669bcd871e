"""A prepared transition: logged before it takes effect."""

from typing import NamedTuple

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from mockbroker.state.transaction.transaction_state import TransactionState


class TxnTransitMetadata(NamedTuple):
    """The next state of a transactional id (Kafka's `TxnTransitMetadata`)."""

    producer_id: int
    previous_producer_id: int
    next_producer_id: int
    """The producer id after the markers are written; -1 unless the epochs are exhausted."""
    producer_epoch: int
    last_producer_epoch: int
    next_producer_epoch: int
    timeout_ms: int
    state: TransactionState
    partitions: frozenset[TopicPartition]
    start_timestamp_ms: int
    last_update_timestamp_ms: int
    client_transaction_version: int

    def to_log_value(self, *, holds_last_epoch: bool) -> TransactionLogValue:
        """Return the value of this transition's log record.

        `holds_last_epoch` adds the LastEpoch of KIP-360's draft.
        """
        (
            producer_id, previous_producer_id, next_producer_id, producer_epoch,
            last_producer_epoch, next_producer_epoch, timeout_ms, state, partitions,
            start_timestamp_ms, last_update_timestamp_ms, client_transaction_version,
        ) = self  # fmt: skip
        is_empty = state is TransactionState.EMPTY
        assert not (is_empty and partitions), self
        return TransactionLogValue(
            producer_id,
            producer_epoch,
            timeout_ms,
            int(state),
            None if is_empty else tuple(sorted(partitions)),
            last_update_timestamp_ms,
            start_timestamp_ms,
            previous_producer_id,
            next_producer_id,
            client_transaction_version,
            next_producer_epoch,
            last_producer_epoch if holds_last_epoch else -1,
        )
