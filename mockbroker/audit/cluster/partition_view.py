"""One partition's log as values, for rules and timelines."""

from typing import Literal, NamedTuple, TypeAlias

from mockbroker.broker.stored_records import AbortedBatches, partitions_of
from mockbroker.protocol.records.batch import parse_batch_header
from mockbroker.protocol.types import BatchHeader, Buffer, TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.open_transactions import OpenTransaction, open_transactions
from mockbroker.state.topic.topic import Partition

Outcome: TypeAlias = Literal["plain", "open", "committed", "aborted", "marker"]
"""Outcome of a batch, by the markers after it: not in a transaction, in an open or a completed one,
or itself a marker. Whether consumers can read the batch does not depend on this, but on the
leader's producer state."""


class LoggedBatch(NamedTuple):
    """A batch in a log."""

    base_offset: int
    last_offset: int
    producer_id: int
    """-1 for a batch without a producer id."""
    producer_epoch: int
    base_sequence: int
    outcome: Outcome
    is_commit: bool
    """Of a marker: whether it commits."""
    is_committed_for_readers: bool
    """True if read_committed consumers can read its records."""

    @property
    def last_sequence(self) -> int:
        """The sequence of the batch's last record."""
        return (self.base_sequence + self.last_offset - self.base_offset) & 0x7FFFFFFF


class PartitionSnapshot(NamedTuple):
    """State of a partition at one moment."""

    topic: str
    partition: int
    leader: int
    leader_epoch: int
    log_start_offset: int
    last_stable_offset: int
    high_watermark: int
    log_end_offset: int
    batches: tuple[LoggedBatch, ...]
    open_transactions: tuple[OpenTransaction, ...]

    @property
    def name(self) -> str:
        """The partition in Kafka's notation: `orders-0`."""
        return f"{self.topic}-{self.partition}"


def partition_views(
    cluster: ClusterState, topic: str | None, index: int | None, now_ms: int
) -> list[PartitionSnapshot]:
    """Return views of one partition, of a topic's partitions, or of all that are not internal.

    Raises:
        LookupError: there is no such topic or partition.

    """
    opened = open_transactions(cluster)
    return [
        partition_view(cluster, partition, opened, now_ms)
        for partition in chosen_partitions(cluster, topic, index)
    ]


def chosen_partitions(
    cluster: ClusterState, topic: str | None, index: int | None = None
) -> list[Partition]:
    """Return the partitions that a topic and an index select.

    Raises:
        LookupError: there is no such topic or partition.

    """
    if topic is not None:
        return list(partitions_of(cluster, topic, index))
    named = sorted(cluster.topics.by_name.values(), key=lambda each: each.name)
    return [partition for each in named if not each.is_internal for partition in each.partitions]


def topics_of(cluster: ClusterState, topic: str | None) -> list[str]:
    """Return the topic, or all topics that are not internal.

    Raises:
        LookupError: there is no such topic.

    """
    places: list[TopicPartition] = [
        partition.topic_partition for partition in chosen_partitions(cluster, topic)
    ]
    return list(dict.fromkeys(place.topic for place in places))


def partition_view(
    cluster: ClusterState, partition: Partition, opened: list[OpenTransaction], now_ms: int
) -> PartitionSnapshot:
    """Return a view of one partition; `opened` are the open transactions of the cluster."""
    log = cluster.log_of(partition, now_ms)
    place = partition.topic_partition
    return PartitionSnapshot(
        *place,
        partition.leader_id,
        partition.leader_epoch,
        log.log_start_offset,
        log.last_stable_offset,
        log.high_watermark,
        log.log_end_offset,
        tuple(_logged_batches(cluster, log)),
        tuple(each for each in opened if TopicPartition(each.topic, each.partition) == place),
    )


def _logged_batches(cluster: ClusterState, log: PartitionLog) -> list[LoggedBatch]:
    headers: list[BatchHeader] = []
    commits: dict[int, bool] = {}
    for data in batches_of(log):
        header = parse_batch_header(data)
        headers.append(header)
        if header.is_control:
            commits[header.base_offset] = _is_commit(cluster, data)
    outcomes = _outcomes(headers, commits)
    aborted = AbortedBatches(log)
    last_stable_offset = log.last_stable_offset
    logged: list[LoggedBatch] = []
    for header, outcome in zip(headers, outcomes, strict=True):
        is_hidden = header.is_control or aborted.holds(header)
        if header.is_control:
            aborted.end(header)
        logged.append(
            LoggedBatch(
                header.base_offset,
                header.base_offset + header.last_offset_delta,
                header.producer_id,
                header.producer_epoch,
                header.base_sequence,
                outcome,
                commits.get(header.base_offset, False),
                not is_hidden and header.base_offset < last_stable_offset,
            )
        )
    return logged


def _is_commit(cluster: ClusterState, data: Buffer) -> bool:
    marker = cluster.records.read_end_txn_marker(data)
    return marker is not None and marker.is_commit


def _outcomes(headers: list[BatchHeader], commits: dict[int, bool]) -> list[Outcome]:
    """Find the outcome of each batch: the next marker of its producer decides it."""
    next_commits: dict[int, bool] = {}
    outcomes: list[Outcome] = []
    for header in reversed(headers):
        if header.is_control:
            next_commits[header.producer_id] = commits[header.base_offset]
            outcomes.append("marker")
        elif not header.is_transactional:
            outcomes.append("plain")
        else:
            is_commit = next_commits.get(header.producer_id)
            ended: Outcome = "committed" if is_commit else "aborted"
            outcomes.append("open" if is_commit is None else ended)
    outcomes.reverse()
    return outcomes
