"""Documents of producers and transactions, from coordinators and from logs."""

from collections.abc import Iterator

from mockbroker.faults.documents.strict import View
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.open_transactions import HangingTransaction, hanging_transactions
from mockbroker.state.topic.topic import Partition
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata


class TopicPartitionView(View):
    """A partition of a topic."""

    topic: str
    partition: int


class TransactionView(View):
    """A transactional id, from its coordinator's state."""

    transactional_id: str
    coordinator: int
    state: str
    pending_state: str | None
    """Next state, while the transition is being logged."""
    producer_id: int
    producer_epoch: int
    last_producer_epoch: int
    timeout_ms: int
    partitions: list[TopicPartitionView]
    """Partitions of the open transaction; while it ends, those that still have no marker."""
    started_at_ms: int | None
    updated_at_ms: int


class TransactionsView(View):
    """All transactional ids, in order."""

    transactions: list[TransactionView]


class HangingView(View):
    """A hanging transaction: open in a partition, and never ended by any coordinator."""

    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    first_offset: int


class HangingsView(View):
    """All hanging transactions (KIP-664)."""

    hanging: list[HangingView]


class ProducerView(View):
    """A producer, from the state of a partition's leader."""

    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_offset: int
    last_timestamp_ms: int
    coordinator_epoch: int
    transaction_first_offset: int | None
    """First offset of its open transaction in this partition."""


class ProducersView(View):
    """Producers, ordered by partition and producer id."""

    producers: list[ProducerView]


def transactions_view(cluster: ClusterState) -> TransactionsView:
    """Show all transactional ids."""
    shown = sorted(_transactions(cluster), key=lambda each: each.transactional_id)
    return TransactionsView(transactions=shown)


def hangings_view(cluster: ClusterState) -> HangingsView:
    """Show the hanging transactions."""
    return HangingsView(hanging=[_hanging_view(each) for each in hanging_transactions(cluster)])


def producers_view(
    cluster: ClusterState, topic: str | None = None, partition: int | None = None
) -> ProducersView:
    """Show producers: those of all partitions, of a topic, or of a partition."""
    shown = [
        each
        for found, each in _producers(cluster)
        if topic in {None, found.topic} and partition in {None, found.partition}
    ]
    return ProducersView(
        producers=sorted(shown, key=lambda each: (each.topic, each.partition, each.producer_id))
    )


def _transactions(cluster: ClusterState) -> Iterator[TransactionView]:
    for broker_id in cluster.brokers:
        for transaction in cluster.transaction_coordinator(broker_id).states:
            yield transaction_view(broker_id, transaction.metadata)


def transaction_view(coordinator: int, metadata: TransactionMetadata) -> TransactionView:
    """Show a coordinator's state of a transactional id."""
    pending = metadata.pending_state
    started_at_ms = metadata.start_timestamp_ms
    return TransactionView(
        transactional_id=metadata.transactional_id,
        coordinator=coordinator,
        state=metadata.state.state_name,
        pending_state=None if pending is None else pending.state_name,
        producer_id=metadata.producer_id,
        producer_epoch=metadata.producer_epoch,
        last_producer_epoch=metadata.last_producer_epoch,
        timeout_ms=metadata.timeout_ms,
        partitions=[
            TopicPartitionView(topic=each.topic, partition=each.partition)
            for each in sorted(metadata.partitions)
        ],
        started_at_ms=started_at_ms if started_at_ms >= 0 else None,
        updated_at_ms=metadata.last_update_timestamp_ms,
    )


def _hanging_view(hanging: HangingTransaction) -> HangingView:
    return HangingView(**hanging._asdict())


def _producers(cluster: ClusterState) -> Iterator[tuple[TopicPartition, ProducerView]]:
    for partition in list(cluster.logs):
        for view in _producers_of(partition):
            yield partition.topic_partition, view


def _producers_of(partition: Partition) -> Iterator[ProducerView]:
    topic, index = partition.topic_partition
    assert partition.log is not None
    for entry in partition.log.producers:
        first_offset = entry.current_txn_first_offset
        yield ProducerView(
            topic=topic,
            partition=index,
            producer_id=entry.producer_id,
            producer_epoch=entry.producer_epoch,
            last_sequence=entry.last_sequence,
            last_offset=entry.last_data_offset,
            last_timestamp_ms=entry.last_timestamp_ms,
            coordinator_epoch=entry.coordinator_epoch,
            transaction_first_offset=first_offset if first_offset >= 0 else None,
        )
