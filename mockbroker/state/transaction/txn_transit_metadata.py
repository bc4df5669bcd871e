"""A transition that was prepared: what the transaction log gets, before anything has changed."""

from typing import NamedTuple

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.log.transaction_log_value import TransactionLogValue
from mockbroker.state.transaction.transaction_state import TransactionState


class TxnTransitMetadata(NamedTuple):
    """Everything that a transactional id is to become (Kafka's `TxnTransitMetadata`)."""

    producer_id: int
    previous_producer_id: int
    next_producer_id: int
    """The producer id that takes over once the markers are written; -1 unless epochs ran out."""
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
        """Return what the record of this transition holds.

        `holds_last_epoch` adds the LastEpoch that KIP-360's draft wanted in the record.
        """
        is_empty = self.state is TransactionState.EMPTY
        assert not (is_empty and self.partitions), self
        return TransactionLogValue(
            self.producer_id,
            self.producer_epoch,
            self.timeout_ms,
            int(self.state),
            None if is_empty else tuple(sorted(self.partitions)),
            self.last_update_timestamp_ms,
            self.start_timestamp_ms,
            self.previous_producer_id,
            self.next_producer_id,
            self.client_transaction_version,
            self.next_producer_epoch,
            self.last_producer_epoch if holds_last_epoch else -1,
        )
