"""Transactions that are open in a log, and that no coordinator will ever end (KIP-664).

Nothing happens between two requests, so what no coordinator knows of now, it will not come to know:
no grace is needed, unlike for the tool that looks at a running Kafka from outside.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import TransactionState

_OPEN: Final = frozenset(
    {
        TransactionState.ONGOING,
        TransactionState.PREPARE_COMMIT,
        TransactionState.PREPARE_ABORT,
        TransactionState.PREPARE_EPOCH_FENCE,
    }
)


class HangingTransaction(NamedTuple):
    """A transaction that holds back a partition's last stable offset for good."""

    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    """The epoch that a marker needs at least, to be written by hand; -1 for any."""
    first_offset: int
    """The offset of its first record: read_committed readers get no further."""


def hanging_transactions(cluster: ClusterState) -> list[HangingTransaction]:
    """Return the transactions that are open in a log and not at their coordinator."""
    known = known_to_coordinators(cluster)
    return sorted(each for each in open_in_logs(cluster) if _place(each) not in known)


def known_to_coordinators(
    cluster: ClusterState,
) -> dict[tuple[int, TopicPartition], TransactionMetadata]:
    """Return the transactions that a coordinator will end, by producer id and partition."""
    everywhere = map(cluster.transaction_coordinator, cluster.brokers)
    return {
        (transaction.metadata.producer_id, partition): transaction.metadata
        for transaction in chain.from_iterable(coordinator.states for coordinator in everywhere)
        if transaction.metadata.state in _OPEN
        for partition in transaction.metadata.partitions
    }


def open_in_logs(cluster: ClusterState) -> Iterator[HangingTransaction]:
    """Yield every transaction that is open in a log, whether it hangs or not."""
    for partition, log in cluster.logs.items():
        for entry in log.producers:
            if entry.current_txn_first_offset >= 0:
                yield HangingTransaction(
                    *partition.topic_partition,
                    entry.producer_id,
                    entry.producer_epoch,
                    entry.coordinator_epoch,
                    entry.current_txn_first_offset,
                )


def _place(transaction: HangingTransaction) -> tuple[int, TopicPartition]:
    partition = TopicPartition(transaction.topic, transaction.partition)
    return transaction.producer_id, partition
