"""Records that read_committed consumers see: their ids and positions.

A journal has no record contents, and brokers do not know the application's ids; these are in the
records: those of a load in a header. The records are read over plain connections, from any broker
since Kafka 0.11, without a client library: by this process, or by Spark's workers, one partition
each.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockbroker.journal.record_identity import RecordIdentity
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.messages.fetch import PartitionData
from mockbroker.protocol.records.batch import (
    DECOMPRESSED_BYTES_MAX,
    MAGIC_AT,
    MAGIC_V2,
    batch_spans,
    parse_batch_header,
    records_of,
)
from mockbroker.protocol.records.control_batch import ControlRecordType, parse_control_type
from mockbroker.protocol.records.message_set import decode_message, records_of_message
from mockbroker.protocol.records.record import Record
from mockbroker.spark.load.load_ledger import RECORD_HEADER, VISIBLE_COLUMNS, VisibleRecord
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import EARLIEST, LATEST, TopicIdPartition, WireCluster
from mockbroker.wire.partition_reader import PartitionReader, offset_after
from mockbroker.wire.security import PLAINTEXT, Security

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


OF_LOADS: Final = RecordIdentity("header", RECORD_HEADER)
"""The identity of a load's records."""


def read_visible(
    bootstrap_servers: str,
    topic: str,
    partitions: Sequence[int] | None = None,
    identity: RecordIdentity = OF_LOADS,
    *,
    security: Security = PLAINTEXT,
) -> Iterator[VisibleRecord]:
    """Yield the records in some or all partitions of a topic, up to their current end.

    The end is the last stable offset. Records without an id are skipped.

    Raises:
        WireError: the cluster or the topic does not exist, or stops answering.

    """
    with WireCluster(bootstrap_servers, security=security) as cluster:
        found = cluster.topic(topic)
        for index in found.leaders if partitions is None else partitions:
            yield from _records(cluster, TopicIdPartition(topic, index, found.topic_id), identity)


def waiting_from(
    bootstrap_servers: str, topics: Sequence[str], *, security: Security = PLAINTEXT
) -> Mapping[tuple[str, int], int]:
    """Return, by topic and partition, the offset from which open transactions block readers.

    Other partitions are left out. Call it before records are read: it is not yet known whether
    records from these offsets on will be visible.

    Raises:
        WireError: there is no such cluster, or no such topic.

    """
    waiting: dict[tuple[str, int], int] = {}
    with WireCluster(bootstrap_servers, security=security) as cluster:
        for each in _partitions(cluster, topics):
            high_watermark = cluster.offset(each, LATEST)
            last_stable_offset = cluster.offset(each, LATEST, is_committed=True)
            if last_stable_offset < high_watermark:
                waiting[each.topic, each.partition] = last_stable_offset
    return waiting


def visible_frame(
    spark: "SparkSession",
    bootstrap_servers: str,
    topics: Sequence[str],
    identity: RecordIdentity = OF_LOADS,
    *,
    security: Security = PLAINTEXT,
) -> "DataFrame":
    """Return the records of some topics as a DataFrame; workers read one partition each.

    Raises:
        WireError: there is no such cluster, or no such topic.

    """
    with WireCluster(bootstrap_servers, security=security) as cluster:
        partitions = _partitions(cluster, topics)
    numbers: Any = spark.range(0, len(partitions), 1, len(partitions))
    schema = ", ".join(f"{column.name} {_SQL[column.kind]}" for column in VISIBLE_COLUMNS)
    read = partial(_tables, bootstrap_servers, partitions, identity, security)
    frame: DataFrame = numbers.mapInArrow(read, schema)
    return frame


_SQL: Final = {"string": "string", "int32": "int", "int64": "bigint"}
_ROWS_A_BATCH: Final = 20_000


def _partitions(cluster: WireCluster, topics: Sequence[str]) -> list[TopicIdPartition]:
    return [each for topic in map(cluster.topic, topics) for each in topic.partitions]


def _tables(
    bootstrap_servers: str,
    partitions: Sequence[TopicIdPartition],
    identity: RecordIdentity,
    security: Security,
    batches: Iterator[Any],
) -> Iterator[Any]:
    """Read the partitions with the given numbers as Arrow batches, in a worker."""
    for each in (partitions[number] for batch in batches for number in _numbers(batch)):
        records = read_visible(
            bootstrap_servers, each.topic, [each.partition], identity, security=security
        )
        while rows := list(islice(records, _ROWS_A_BATCH)):
            yield _table(rows)


def _numbers(batch: Any) -> list[int]:
    numbers: list[int] = batch.column(0).to_pylist()
    return numbers


def _table(rows: Sequence[VisibleRecord]) -> Any:
    pa = import_module("pyarrow")
    schema = pa.schema([(column.name, getattr(pa, column.kind)()) for column in VISIBLE_COLUMNS])
    columns = [[row[at] for row in rows] for at in range(len(VISIBLE_COLUMNS))]
    return pa.record_batch(columns, schema=schema)


# One partition


def _records(
    cluster: WireCluster, partition: TopicIdPartition, identity: RecordIdentity
) -> Iterator[VisibleRecord]:
    offset = cluster.offset(partition, EARLIEST, is_committed=True)
    end = cluster.offset(partition, LATEST, is_committed=True)
    reader = PartitionReader(cluster, partition, is_committed=True)
    while offset < end:
        answer = reader.fetch(offset)
        fetched = _Fetched(answer, range(offset, end), identity)
        try:
            for found, record_id in fetched:
                yield VisibleRecord(partition.topic, partition.partition, found, record_id)
        except DecodeError as error:
            why = f"{partition} from offset {offset} on cannot be read: {error}"
            raise WireError(why) from None
        before, offset = offset, fetched.next_offset
        if answer.error_code:
            offset = reader.first_from(offset)  # retention may have removed records meanwhile
        if offset == before:
            return  # no complete batch: the log was truncated meanwhile


class _Fetched:
    """Visible records with ids in one Fetch response; iterable once."""

    def __init__(self, answer: PartitionData, wanted: range, identity: RecordIdentity) -> None:
        self._answer = answer
        self._identity = identity
        self._wanted = wanted
        self.next_offset = wanted.start
        """Offset after the last processed batch."""

    def __iter__(self) -> Iterator[tuple[int, str]]:
        aborted = _Aborted(self._answer)
        data = bytes(self._answer.records or b"")
        for batch in (data[begin:end] for begin, end in batch_spans(data)):
            self.next_offset = offset_after(batch)
            if not aborted.hides(batch):
                yield from self._of(batch)

    def _of(self, batch: bytes) -> Iterator[tuple[int, str]]:
        for record in _records_in(batch):
            record_id = self._identity.of(record) if record.offset in self._wanted else None
            if record_id is not None:
                yield record.offset, record_id


class _Began(NamedTuple):
    first_offset: int
    producer_id: int


class _Aborted:
    """Tracker of the aborted transactions in a fetched partition."""

    def __init__(self, answer: PartitionData) -> None:
        began = answer.aborted_transactions or ()
        self._coming = sorted(_Began(each.first_offset, each.producer_id) for each in began)
        self._open: set[int] = set()

    def hides(self, batch: bytes) -> bool:
        """Return True if a batch is invisible to read_committed consumers, or empty."""
        if batch[MAGIC_AT] < MAGIC_V2:
            return False  # older formats know no transactions
        header = parse_batch_header(batch)
        while self._coming and self._coming[0].first_offset <= header.base_offset:
            self._open.add(self._coming.pop(0).producer_id)
        if header.is_control:
            record = next(iter(records_of(batch)), None)  # compaction empties old ones
            if record and parse_control_type(record.key) is ControlRecordType.ABORT:
                self._open.discard(header.producer_id)
            return True
        return header.is_transactional and header.producer_id in self._open


def _records_in(batch: bytes) -> Iterator[Record]:
    """Return the records of a batch, or of a message of an older format, which may be a wrapper."""
    if batch[MAGIC_AT] >= MAGIC_V2:
        return records_of(batch)
    message = decode_message(batch, 0, len(batch))
    return iter(records_of_message(message, limit_bytes=DECOMPRESSED_BYTES_MAX))
