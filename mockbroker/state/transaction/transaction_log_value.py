"""The value of a transactional id's record in the transaction log."""

from typing import NamedTuple

from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, TopicPartition


class TransactionLogValue(NamedTuple):
    """The fields of a record of `__transaction_state`, versions 0 and 1 (`TransactionLogValue`).

    A record of version 0 lacks the last five fields, which then have their defaults. `state` is the
    number of a `TransactionState`. (KIP-98, KIP-890)
    """

    producer_id: int
    producer_epoch: int
    transaction_timeout_ms: int
    state: int
    partitions: tuple[TopicPartition, ...] | None
    """None means an absent list, which Kafka writes for a transaction in state Empty."""
    last_update_timestamp_ms: int
    start_timestamp_ms: int
    previous_producer_id: int = NO_PRODUCER_ID
    next_producer_id: int = NO_PRODUCER_ID
    client_transaction_version: int = 0
    next_producer_epoch: int = NO_PRODUCER_EPOCH
    last_producer_epoch: int = NO_PRODUCER_EPOCH
    """LastEpoch of KIP-360's draft, which Kafka never shipped; written only if that is enabled."""
