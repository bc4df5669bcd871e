"""Transactions by producer and partition, as the coordinators of a cluster know them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.open_transactions import known_to_coordinators
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata


class KnownTransactions(NamedTuple):
    """Transactional ids of producers, and open transactions, at one moment."""

    transactional_ids: Mapping[int, str]
    """By producer id."""
    opened: Mapping[tuple[int, TopicPartition], TransactionMetadata]
    """Open transactions by producer id and partition."""

    def is_hanging(self, producer_id: int, place: TopicPartition) -> bool:
        """Return True if no coordinator will end a producer's open transaction."""
        return (producer_id, place) not in self.opened


def known_transactions(cluster: ClusterState) -> KnownTransactions:
    """Ask all coordinators; the result serves for all partitions of a view."""
    everywhere = map(cluster.transaction_coordinator, cluster.brokers)
    return KnownTransactions(
        transactional_ids={
            each.metadata.producer_id: each.metadata.transactional_id
            for coordinator in everywhere
            for each in coordinator.states
        },
        opened=known_to_coordinators(cluster),
    )


def open_notes(log: PartitionLog, known: KnownTransactions) -> Iterator[str]:
    """Describe the open transactions of a partition, one sentence for each."""
    place = log.topic_partition
    written: set[int] = set()
    for first_offset, producer_id in log.producers.transactions:
        written.add(producer_id)
        metadata = known.opened.get((producer_id, place))
        if metadata is None:
            yield (
                f"HANGING from offset {first_offset} on: producer {producer_id}, "
                "unknown to every coordinator, so it will never end"
            )
        else:
            yield f"open from offset {first_offset} on: {_owner(metadata)}"
    for (producer_id, partition), metadata in known.opened.items():
        if partition == place and producer_id not in written:
            yield f"open without data: {_owner(metadata)}"


def _owner(metadata: TransactionMetadata) -> str:
    return (
        f"producer {metadata.producer_id} epoch {metadata.producer_epoch}, "
        f"{metadata.transactional_id!r} ({metadata.state.state_name})"
    )
