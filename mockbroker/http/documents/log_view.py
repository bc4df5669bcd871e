"""Documents of a partition's contents: its batches, and the records that consumers read."""

from base64 import b64encode
from collections.abc import Sequence
from itertools import islice
from typing import Final

from mockbroker.broker.stored_records import (
    IsolationLevel,
    StoredRecord,
    records_of_batch,
    stored_records,
)
from mockbroker.faults.documents.strict import View
from mockbroker.protocol.types import Compression
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.topic.topic import Partition

HEADERS_MAX: Final = 20
"""Headers of a record in a view for people."""


class BatchView(View):
    """One batch of a log."""

    base_offset: int
    last_offset: int
    records: int
    size_bytes: int
    leader_epoch: int
    timestamp_ms: int
    """Largest timestamp of its records."""
    compression: str
    producer_id: int
    """-1 for a batch without a producer id."""
    producer_epoch: int
    base_sequence: int
    last_sequence: int
    is_transactional: bool
    marker: str | None
    """`commit` or `abort` if the batch ends a transaction."""


class LogView(View):
    """Batches of a partition, from an offset on."""

    topic: str
    partition: int
    log_start_offset: int
    last_stable_offset: int
    high_watermark: int
    log_end_offset: int
    batches: list[BatchView]
    next_offset: int
    """Offset for the next request; the log end offset at the end."""


class BytesView(View):
    """Bytes, also decoded if they are valid text."""

    text: str | None
    base64: str


class HeaderView(View):
    """A record's header."""

    key: str
    value: BytesView | None


class RecordView(View):
    """One record."""

    offset: int
    timestamp_ms: int
    key: BytesView | None
    value: BytesView | None
    headers: list[HeaderView]
    producer_id: int
    producer_epoch: int
    sequence: int
    is_transactional: bool


class RecordsView(View):
    """Records of a partition that consumers with an isolation level can read."""

    topic: str
    partition: int
    records: list[RecordView]


class BatchContentView(View):
    """One batch with its first records, for people: long values are cut."""

    topic: str
    partition: int
    batch: BatchView
    records: list[RecordView]
    """Empty for a marker."""
    is_cut: bool
    """True if records or parts of values are left out."""


def batch_content_view(
    cluster: ClusterState, partition: Partition, offset: int, records_max: int, value_bytes_max: int
) -> BatchContentView:
    """Show the batch that contains an offset.

    Raises:
        LookupError: the log has no batch with that offset.

    """
    topic, index = partition.topic_partition
    log = partition.log
    if log is None or not log.log_start_offset <= offset < log.log_end_offset:
        raise LookupError(f"there is no offset {offset} in {topic}-{index}")
    data = next(batches_of(log, offset))
    header = cluster.records.read_header(data)
    found = () if header.is_control else records_of_batch(partition, header, data)
    records = list(islice(found, records_max))
    shown = [_cut(each, value_bytes_max) for each in records]
    return BatchContentView(
        topic=topic,
        partition=index,
        batch=_batch_view(cluster, data),
        records=[_record_view(each) for each in shown],
        is_cut=header.record_count > records_max or shown != records,
    )


def _cut(record: StoredRecord, size: int) -> StoredRecord:
    def cut(value: bytes | None) -> bytes | None:
        return None if value is None else value[:size]

    headers = tuple((key[:size], cut(value)) for key, value in record.headers[:HEADERS_MAX])
    return record._replace(key=cut(record.key), value=cut(record.value), headers=headers)


def log_view(cluster: ClusterState, partition: Partition, from_offset: int, limit: int) -> LogView:
    """Show up to `limit` batches of a log, from the batch that contains an offset."""
    topic, index = partition.topic_partition
    log = partition.log
    if log is None:
        return LogView(topic, index, 0, 0, 0, 0, [], 0)
    batches = [_batch_view(cluster, data) for data in islice(batches_of(log, from_offset), limit)]
    return LogView(
        topic=topic,
        partition=index,
        log_start_offset=log.log_start_offset,
        last_stable_offset=log.last_stable_offset,
        high_watermark=log.high_watermark,
        log_end_offset=log.log_end_offset,
        batches=batches,
        next_offset=batches[-1].last_offset + 1 if batches else log.log_end_offset,
    )


def records_view(
    cluster: ClusterState,
    partition: Partition,
    isolation: IsolationLevel,
    offsets: tuple[int, int],
    now_ms: int,
) -> RecordsView:
    """Show records of a partition; `offsets` are the first offset and the maximum number."""
    topic, index = partition.topic_partition
    from_offset, limit = offsets
    found = stored_records(cluster, partition, isolation, now_ms) if partition.log else ()
    wanted = (record for record in found if record.offset >= from_offset)
    return RecordsView(topic, index, [_record_view(record) for record in islice(wanted, limit)])


def _batch_view(cluster: ClusterState, data: bytes | bytearray | memoryview) -> BatchView:
    header = cluster.records.read_header(data)
    marker = cluster.records.read_end_txn_marker(data) if header.is_control else None
    return BatchView(
        base_offset=header.base_offset,
        last_offset=header.last_offset,
        records=header.record_count,
        size_bytes=header.size_bytes,
        leader_epoch=header.partition_leader_epoch,
        timestamp_ms=header.max_timestamp,
        compression=Compression(header.compression).name.lower(),
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        last_sequence=header.last_sequence,
        is_transactional=header.is_transactional,
        marker=None if marker is None else "commit" if marker.is_commit else "abort",
    )


def _record_view(record: StoredRecord) -> RecordView:
    return RecordView(
        offset=record.offset,
        timestamp_ms=record.timestamp_ms,
        key=_bytes_view(record.key),
        value=_bytes_view(record.value),
        headers=_headers(record.headers),
        producer_id=record.producer_id,
        producer_epoch=record.producer_epoch,
        sequence=record.sequence,
        is_transactional=record.is_transactional,
    )


def _headers(headers: Sequence[tuple[str, bytes | None]]) -> list[HeaderView]:
    return [HeaderView(key=key, value=_bytes_view(value)) for key, value in headers]


def _bytes_view(value: bytes | None) -> BytesView | None:
    if value is None:
        return None
    data = bytes(value)
    try:
        text: str | None = data.decode()
    except UnicodeDecodeError:
        text = None
    return BytesView(text=text, base64=b64encode(data).decode())
