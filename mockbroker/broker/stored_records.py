"""Records of a partition that a consumer with a given isolation level can read."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from mockbroker.protocol.records.batch import parse_batch_header, records_of
from mockbroker.protocol.types import NO_SEQUENCE, BatchHeader, Buffer
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.topic.topic import Partition

IsolationLevel: TypeAlias = Literal["read_uncommitted", "read_committed"]
ISOLATION_LEVELS: Final[tuple[IsolationLevel, ...]] = get_args(IsolationLevel)


def checked_isolation(isolation: str) -> IsolationLevel:
    """Return a validated isolation level.

    Raises:
        ValueError: the name is not an isolation level.

    """
    for each in ISOLATION_LEVELS:
        if each == isolation:
            return each
    raise ValueError(f"isolation={isolation!r}: allowed are {' and '.join(ISOLATION_LEVELS)}")


class StoredRecord(NamedTuple):
    """One record of a log."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]]
    producer_id: int
    """-1 for a record without a producer id."""
    producer_epoch: int
    sequence: int
    is_transactional: bool


def partitions_of(cluster: ClusterState, topic: str, index: int | None) -> Sequence[Partition]:
    """Return the partitions of a topic, or one of them.

    Raises:
        LookupError: there is no such topic or partition.

    """
    found = cluster.topics.get(topic)
    if found is None:
        raise LookupError(f"there is no topic {topic!r}")
    if index is None:
        return found.partitions
    partition = found.partition(index)
    if partition is None:
        raise LookupError(f"there is no partition {topic}-{index}")
    return [partition]


def stored_records(
    cluster: ClusterState, partition: Partition, isolation: IsolationLevel, now_ms: int
) -> Iterator[StoredRecord]:
    """Yield the records that a consumer with this isolation level reads, in order of offsets.

    With `read_committed` they end at the last stable offset, and exclude aborted records.
    """
    log = cluster.log_of(partition, now_ms)
    is_committed = isolation == "read_committed"
    end = log.last_stable_offset if is_committed else log.high_watermark
    aborted = AbortedBatches(log) if is_committed else None
    for data in batches_of(log, end_offset=end):
        header = parse_batch_header(data)
        if header.is_control:
            if aborted is not None:
                aborted.end(header)
        elif aborted is None or not aborted.holds(header):
            start = log.log_start_offset  # it may be inside a batch
            yield from (
                each for each in records_of_batch(partition, header, data) if each.offset >= start
            )


class AbortedBatches:
    """Tracker of aborted transactions while the batches of a log are read in order (KIP-98)."""

    def __init__(self, log: PartitionLog) -> None:
        """Load the log's aborted transactions."""
        index = sorted(log.transaction_index, key=lambda aborted: aborted.first_offset)
        self._to_come = index[::-1]
        self._producer_ids: set[int] = set()

    def holds(self, header: BatchHeader) -> bool:
        """Return True if a batch belongs to an aborted transaction; call in order of offsets."""
        while self._to_come and self._to_come[-1].first_offset <= header.base_offset:
            self._producer_ids.add(self._to_come.pop().producer_id)
        return header.is_transactional and header.producer_id in self._producer_ids

    def end(self, header: BatchHeader) -> None:
        """Note a marker: later batches of its producer belong to another transaction."""
        self.holds(header)
        self._producer_ids.discard(header.producer_id)


def records_of_batch(
    partition: Partition, header: BatchHeader, data: Buffer
) -> Iterator[StoredRecord]:
    """Yield the records of one batch."""
    topic, index = partition.topic_partition
    for number, record in enumerate(records_of(data)):
        has_sequence = header.base_sequence != NO_SEQUENCE
        yield StoredRecord(
            topic=topic,
            partition=index,
            offset=record.offset,
            timestamp_ms=record.timestamp,
            key=record.key,
            value=record.value,
            headers=record.headers,
            producer_id=header.producer_id,
            producer_epoch=header.producer_epoch,
            sequence=(header.base_sequence + number) & 0x7FFFFFFF if has_sequence else NO_SEQUENCE,
            is_transactional=header.is_transactional,
        )
