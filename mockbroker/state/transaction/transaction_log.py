"""Port of a coordinator to the transaction log, `__transaction_state`."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

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


class TransactionLog(Protocol):
    """The log of transitions, written before they take effect, read by the next coordinator."""

    def append(
        self,
        partition_index: int,
        transactional_id: str,
        value: TransactionLogValue | None,
        *,
        coordinator_epoch: int,
        now_ms: int,
    ) -> None:
        """Append one record to a partition of `__transaction_state`; None is a tombstone.

        `coordinator_epoch` is the leader epoch under which this broker has loaded the partition.

        Raises:
            ApiError: the code of the failed append, such as NOT_LEADER_OR_FOLLOWER,
                NOT_ENOUGH_REPLICAS or MESSAGE_TOO_LARGE; the coordinator maps it to the code that
                clients see. Nothing was appended, except with NOT_ENOUGH_REPLICAS_AFTER_APPEND.

        """
        ...

    def read(self, partition_index: int) -> Iterable[tuple[str, TransactionLogValue | None]]:
        """Yield the records of a partition in order: id and value, None for tombstones."""
        ...
