"""Open transactions by partition, from logs and coordinators."""

from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import TransactionState

NO_OFFSET: Final = -1


class OpenTransaction(NamedTuple):
    """A transaction in one of its partitions that has not ended, or not in that partition yet."""

    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    first_offset: int
    """The offset of its first record; -1 if it has written none."""
    transactional_id: str | None
    """None if no coordinator knows the transaction."""
    state: str | None
    """The state at its coordinator, such as `Ongoing`; None if no coordinator knows it."""

    @property
    def is_hanging(self) -> bool:
        """True if no coordinator will ever end it."""
        return self.state is None


def open_transactions(cluster: ClusterState) -> list[OpenTransaction]:
    """Return the transactions that are open in a log or at a coordinator, by partition."""
    known = known_to_coordinators(cluster)
    found: list[OpenTransaction] = []
    for opened in open_in_logs(cluster):
        place = TopicPartition(opened.topic, opened.partition)
        metadata = known.pop((opened.producer_id, place), None)
        found.append(
            OpenTransaction(
                opened.topic,
                opened.partition,
                opened.producer_id,
                opened.producer_epoch,
                opened.first_offset,
                None if metadata is None else metadata.transactional_id,
                None if metadata is None else metadata.state.state_name,
            )
        )
    found += [
        OpenTransaction(
            *place,
            producer_id,
            metadata.producer_epoch,
            NO_OFFSET,
            metadata.transactional_id,
            metadata.state.state_name,
        )
        for (producer_id, place), metadata in known.items()
    ]
    return sorted(found, key=lambda each: (each.topic, each.partition, each.first_offset))


_OPEN: Final = frozenset(
    {
        TransactionState.ONGOING,
        TransactionState.PREPARE_COMMIT,
        TransactionState.PREPARE_ABORT,
        TransactionState.PREPARE_EPOCH_FENCE,
    }
)


class HangingTransaction(NamedTuple):
    """A transaction that blocks a partition's last stable offset permanently."""

    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    """The minimum epoch of a marker that aborts it manually; -1 for any."""
    first_offset: int
    """The offset of its first record, where read_committed readers stop."""


def hanging_transactions(cluster: ClusterState) -> list[HangingTransaction]:
    """Return the transactions that are open in a log but not at their coordinator."""
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
    """Yield every transaction that is open in a log, hanging or not."""
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
