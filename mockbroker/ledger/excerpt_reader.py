"""Takes an excerpt of a ledger, with what the logs of its partitions hold now."""

from collections.abc import Hashable, Sequence
from functools import cache

from mockbroker.ledger.excerpt import Excerpt, LogExtent, first_tries
from mockbroker.ledger.ledger import Ledger
from mockbroker.ledger.partition_view import PartitionView, chosen_partitions, partition_view
from mockbroker.protocol.records.batch import parse_batch_header, records_of
from mockbroker.protocol.types import TimestampType, TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.open_transactions import open_transactions
from mockbroker.state.topic.topic import Partition


def excerpt_of(ledger: Ledger, cluster: ClusterState, topic: str | None, now_ms: int) -> Excerpt:
    """Give the rows of a topic, or of all that are not internal, and what they are about.

    It is good until the cluster does anything else.

    Raises:
        LookupError: there is no such topic.

    """
    partitions = {
        partition.topic_partition: partition for partition in chosen_partitions(cluster, topic)
    }
    numbers = {
        number
        for number, place in enumerate(ledger.places)
        if place in partitions and number not in ledger.gone
    }
    opened = open_transactions(cluster)

    def partition_of(number: int) -> Partition:
        return partitions[ledger.places[number]]

    @cache
    def view(number: int) -> PartitionView:
        return partition_view(cluster, partition_of(number), opened, now_ms)

    def contents(number: int, first: int, last: int) -> Sequence[tuple[int, Hashable]]:
        return _records_between(cluster, partition_of(number), (first, last), now_ms)

    rows = [row for row in ledger if row.place in numbers]
    return Excerpt(
        rows=rows,
        places=ledger.places,
        truncations=ledger.truncations,
        extents={
            number: _extent(cluster.log_of(partition_of(number), now_ms)) for number in numbers
        },
        first_tries=first_tries(rows),
        clients=ledger.clients,
        decisions=ledger.decisions,
        epochs=ledger.epochs,
        views=view,
        contents=contents,
    )


def _extent(log: PartitionLog) -> LogExtent:
    def epoch_end(leader_epoch: int) -> int:
        return log.leader_epochs.end_offset_for(leader_epoch, log.log_end_offset).end_offset

    return LogExtent(log.log_start_offset, log.log_end_offset, epoch_end)


def _records_between(
    cluster: ClusterState, partition: Partition, offsets: tuple[int, int], now_ms: int
) -> list[tuple[int, Hashable]]:
    first, last = offsets
    found: list[tuple[int, Hashable]] = []
    for data in batches_of(cluster.log_of(partition, now_ms), first, last + 1):
        header = parse_batch_header(data)
        is_clients = header.timestamp_type is TimestampType.CREATE_TIME
        for record in () if header.is_control else records_of(data):
            if first <= record.offset <= last:
                timestamp = record.timestamp if is_clients else None
                identity = (timestamp, record.key, record.value, tuple(record.headers))
                found.append((record.offset, identity))
    return found


def topics_of(cluster: ClusterState, topic: str | None) -> list[str]:
    """Name the topics that an assertion is about.

    Raises:
        LookupError: there is no such topic.

    """
    places: list[TopicPartition] = [
        partition.topic_partition for partition in chosen_partitions(cluster, topic)
    ]
    return list(dict.fromkeys(place.topic for place in places))
