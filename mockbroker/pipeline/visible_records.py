"""The records of a load that readers of committed records see: their ids, and where they are.

A journal has no contents, and no broker knows what an application wants once: the ids are in the
records' headers. They are read over plain connections, from any broker since Kafka 0.11, without a
client library; by this process, or by workers of Spark, a partition each.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from mockbroker.pipeline.load_ledger import RECORD_HEADER, VISIBLE_COLUMNS, VisibleRecord
from mockbroker.pipeline.wire_cluster import ClusterUnreachableError, WireCluster
from mockbroker.protocol.errors import DecodeError, ErrorCode
from mockbroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from mockbroker.protocol.records.batch import batch_spans, parse_batch_header, records_of
from mockbroker.protocol.records.control_batch import ControlRecordType, parse_control_type
from mockbroker.wire.client import WireClient

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FETCH: Final = 4
"""The first version with isolation levels: every broker since 0.11 serves it, 4.4 too."""
_LIST_OFFSETS: Final = 2
_READ_COMMITTED: Final = 1
_EARLIEST: Final = -2
_LATEST: Final = -1
_FETCH_BYTES: Final = 4 << 20
_MAGIC_WITH_HEADERS: Final = 2
_MAGIC_AT: Final = 16
_MOVED: Final = frozenset(
    {
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.OFFSET_NOT_AVAILABLE,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
    }
)
_TRIES: Final = 20


def read_visible(
    bootstrap_servers: str, topic: str, partitions: Sequence[int] | None = None
) -> Iterator[VisibleRecord]:
    """Read the records of a load in some partitions of a topic, or all, up to where they end now.

    They end at the last stable offset. Records without a load's header are left out.

    Raises:
        ClusterUnreachableError: there is no such cluster, no such topic, or it stops to answer.

    """
    with WireCluster(bootstrap_servers) as cluster:
        leaders = cluster.leaders(topic)
        if not leaders:
            raise ClusterUnreachableError(f"{bootstrap_servers} has no topic {topic}")
        for index in sorted(leaders) if partitions is None else partitions:
            yield from _Partition(cluster, topic, index).records()


def visible_frame(
    spark: "SparkSession", bootstrap_servers: str, topics: Sequence[str]
) -> "DataFrame":
    """Return the same of some topics as a DataFrame, which workers read, a partition each.

    Raises:
        ClusterUnreachableError: there is no such cluster, or no such topic.

    """
    with WireCluster(bootstrap_servers) as cluster:
        found = {topic: cluster.leaders(topic) for topic in topics}
    for topic, leaders in found.items():
        if not leaders:
            raise ClusterUnreachableError(f"{bootstrap_servers} has no topic {topic}")
    # an eager choice of partitions: topics do not lose any
    places = [(topic, index) for topic, leaders in found.items() for index in sorted(leaders)]
    numbers: Any = spark.range(0, len(places), 1, len(places))
    schema = ", ".join(f"{column.name} {_SQL[column.kind]}" for column in VISIBLE_COLUMNS)
    frame: DataFrame = numbers.mapInArrow(partial(_tables, bootstrap_servers, places), schema)
    return frame


_SQL: Final = {"string": "string", "int32": "int", "int64": "bigint"}
_ROWS_A_BATCH: Final = 20_000


def _tables(
    bootstrap_servers: str, places: Sequence[tuple[str, int]], batches: Iterator[Any]
) -> Iterator[Any]:
    """Read the partitions whose numbers come, as Arrow batches: what a worker does."""
    for topic, index in (places[number] for batch in batches for number in _numbers(batch)):
        records = read_visible(bootstrap_servers, topic, [index])
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


class _Partition:
    """A partition that is read from its start to where it ended when the reading began."""

    def __init__(self, cluster: WireCluster, topic: str, index: int) -> None:
        self._cluster = cluster
        self._topic = topic
        self._index = index
        self._leader: str | None = None

    def records(self) -> Iterator[VisibleRecord]:
        offset, end = self._offset_at(_EARLIEST), self._offset_at(_LATEST)
        while offset < end:
            answer = self._fetch(offset)
            named = _Named(answer, range(offset, end))
            for found, record_id in named:
                yield VisibleRecord(self._topic, self._index, found, record_id)
            if named.next_offset == offset:
                return  # nothing whole came: the log was cut meanwhile
            offset = named.next_offset

    def _offset_at(self, timestamp: int) -> int:
        partition = ListOffsetsPartition(partition_index=self._index, timestamp=timestamp)
        request = ListOffsetsRequest(
            replica_id=-1,
            isolation_level=_READ_COMMITTED,
            topics=[ListOffsetsTopic(name=self._topic, partitions=[partition])],
        )

        def asked(client: WireClient) -> tuple[int, int]:
            answer = client.ask(request, _LIST_OFFSETS, ListOffsetsResponse)
            (found,) = answer.topics[0].partitions
            return found.error_code, found.offset

        found: int = self._insist(asked)
        return found

    def _fetch(self, offset: int) -> PartitionData:
        partition = FetchPartition(
            partition=self._index, fetch_offset=offset, partition_max_bytes=_FETCH_BYTES
        )
        request = FetchRequest(
            max_wait_ms=500,
            min_bytes=1,
            max_bytes=_FETCH_BYTES,
            isolation_level=_READ_COMMITTED,
            topics=[FetchTopic(topic=self._topic, partitions=[partition])],
        )

        def asked(client: WireClient) -> tuple[int, PartitionData]:
            answer = client.ask(request, _FETCH, FetchResponse)
            (found,) = answer.responses[0].partitions
            return found.error_code, found

        found: PartitionData = self._insist(asked)
        return found

    def _insist(self, asked: Any) -> Any:
        """Ask the leader, and whoever is it next."""
        why = ""
        for _ in range(_TRIES):
            try:
                code, found = asked(self._cluster.client(self._find_leader()))
            except (OSError, DecodeError, LookupError) as error:
                why = str(error) or type(error).__name__
                break
            if code == ErrorCode.NONE:
                return found
            why = ErrorCode(code).name
            if code not in _MOVED:
                break
            self._leader = None
        raise ClusterUnreachableError(f"{self._topic}-{self._index} cannot be read: {why}")

    def _find_leader(self) -> str:
        if self._leader is None:
            self._leader = self._cluster.leaders(self._topic)[self._index]
        return self._leader


class _Aborted:
    """Knows which batches of a fetched partition belong to aborted transactions."""

    def __init__(self, answer: PartitionData) -> None:
        self._coming = sorted(
            (each.first_offset, each.producer_id) for each in answer.aborted_transactions or ()
        )
        self._open: set[int] = set()

    def hides(self, batch: bytes) -> bool:
        """Tell whether readers of committed records are not given a batch, or nothing is in it."""
        header = parse_batch_header(batch)
        while self._coming and self._coming[0][0] <= header.base_offset:
            self._open.add(self._coming.pop(0)[1])
        if header.is_control:
            (record,) = records_of(batch)
            if parse_control_type(record.key) is ControlRecordType.ABORT:
                self._open.discard(header.producer_id)
            return True
        return header.is_transactional and header.producer_id in self._open


class _Named:
    """The records of an answer that have ids and that readers are given, once."""

    def __init__(self, answer: PartitionData, wanted: range) -> None:
        self._answer = answer
        self._wanted = wanted
        self.next_offset = wanted.start
        """Behind what has been gone through."""

    def __iter__(self) -> Iterator[tuple[int, str]]:
        data = bytes(self._answer.records or b"")
        aborted = _Aborted(self._answer)
        for batch in (data[begin:end] for begin, end in batch_spans(data)):
            self.next_offset = _next_offset(batch)
            if batch[_MAGIC_AT] >= _MAGIC_WITH_HEADERS and not aborted.hides(batch):
                yield from self._of(batch)

    def _of(self, batch: bytes) -> Iterator[tuple[int, str]]:
        for record in records_of(batch):
            value = dict(record.headers).get(RECORD_HEADER)
            if value is not None and record.offset in self._wanted:
                yield record.offset, value.decode(errors="replace")


def _next_offset(batch: bytes) -> int:
    """Return the offset behind a batch, or behind a message of an older format."""
    if batch[_MAGIC_AT] < _MAGIC_WITH_HEADERS:
        return int.from_bytes(batch[:8]) + 1
    return parse_batch_header(batch).last_offset + 1
