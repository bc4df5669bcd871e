"""Headers of stored batches as rows, parsed from fetched bytes without decompression."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import (
    DECOMPRESSED_BYTES_MAX,
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    MAGIC_AT,
    MAGIC_V2,
    PREFIX_BYTES,
    parse_batch_header,
    read_prefix,
    records_of,
)
from mockbroker.protocol.records.control_batch import (
    ControlRecordType,
    parse_control_type,
    parse_end_transaction_marker,
)
from mockbroker.protocol.records.message_set import decode_message, records_of_message
from mockbroker.protocol.types import (
    NO_PARTITION_LEADER_EPOCH,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    Buffer,
)

_NO_MARKER: Final = (None, None)
_ENDS: Final = (ControlRecordType.ABORT, ControlRecordType.COMMIT)


class Batch(NamedTuple):
    """Header of one stored batch; messages of format 0 and 1 count as one batch each."""

    base_offset: int
    last_offset: int
    leader_epoch: int
    """-1 in formats 0 and 1."""
    producer_id: int
    """-1 without a producer."""
    producer_epoch: int
    base_sequence: int
    record_count: int
    is_transactional: bool
    is_control: bool
    marker: str | None
    """`COMMIT` or `ABORT`; None also in control batches that end no transaction."""
    coordinator_epoch: int | None
    """Epoch of the coordinator that wrote the marker."""
    crc: int
    """CRC-32C of the bytes after it; in formats 0 and 1 CRC-32 (zlib's)."""
    max_timestamp_ms: int
    size_bytes: int
    """Size of the whole batch, with its offset and length fields."""


class BatchRow(NamedTuple):
    """A batch, its location, and the state of its partition when it was read.

    These are the columns of `kafka_batches`, with the same names and types as in a journal.
    """

    topic: str
    partition: int
    base_offset: int
    last_offset: int
    leader_epoch: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int
    is_transactional: bool
    is_control: bool
    marker: str | None
    coordinator_epoch: int | None
    crc: int
    max_timestamp_ms: int
    size_bytes: int
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int


class FetchedBatches(NamedTuple):
    """Batches of a range in fetched bytes, and the position to continue."""

    batches: list[Batch]
    next_offset: int
    """Offset after the last complete batch; the start if there was none."""
    is_past_end: bool
    """True if a batch ends at or after the range's end."""


def cut_batches(records: Buffer, start: int, end: int) -> FetchedBatches:
    """Parse the batches whose last offset is at or after `start` and before `end`.

    So each batch is in one of two adjacent ranges. A batch that is truncated at the end, as in
    Fetch responses, is left for the next response.

    Raises:
        DecodeError: the bytes are not a batch.

    """
    batches: list[Batch] = []
    position, size_bytes, next_offset = 0, len(records), start
    while position + PREFIX_BYTES <= size_bytes:
        _, length, _, magic = read_prefix(records, position)
        batch_end = position + LOG_OVERHEAD_BYTES + length
        if length <= MAGIC_AT - LOG_OVERHEAD_BYTES:
            raise DecodeError("batch", f"a length of {length} after offset {next_offset}")
        if batch_end > size_bytes:
            break
        if magic == MAGIC_V2:
            batch = _batch(records, position, batch_end)
        else:
            batch = _message(records, position, batch_end)
        if batch.last_offset >= end:
            return FetchedBatches(batches, next_offset, is_past_end=True)
        if batch.last_offset >= start:
            batches.append(batch)
        next_offset = batch.last_offset + 1
        position = batch_end
    return FetchedBatches(batches, next_offset, is_past_end=next_offset >= end)


def _batch(records: Buffer, position: int, batch_end: int) -> Batch:
    if batch_end - position < HEADER_BYTES:
        raise DecodeError("batch", f"{batch_end - position} bytes are no batch")
    header = parse_batch_header(records, position)
    marker, coordinator_epoch = _marker(records, position) if header.is_control else _NO_MARKER
    return Batch(
        header.base_offset,
        header.last_offset,
        header.partition_leader_epoch,
        header.producer_id,
        header.producer_epoch,
        header.base_sequence,
        header.record_count,
        header.is_transactional,
        header.is_control,
        marker,
        coordinator_epoch,
        header.crc,
        header.max_timestamp,
        batch_end - position,
    )


def _marker(records: Buffer, position: int) -> tuple[str | None, int | None]:
    """Parse a marker; control batches may be empty after compaction, or be KRaft's."""
    for record in records_of(records, position):
        if parse_control_type(record.key) in _ENDS:
            marker = parse_end_transaction_marker(record)
            return marker.control_type.name, marker.coordinator_epoch
    return _NO_MARKER


def _message(records: Buffer, position: int, message_end: int) -> Batch:
    """Parse a message of format 0 or 1; the size of a wrapper needs decompression."""
    message = decode_message(records, position, message_end)
    inner = records_of_message(message, limit_bytes=DECOMPRESSED_BYTES_MAX)
    return Batch(
        base_offset=inner[0].offset,
        last_offset=inner[-1].offset,
        leader_epoch=NO_PARTITION_LEADER_EPOCH,
        producer_id=NO_PRODUCER_ID,
        producer_epoch=NO_PRODUCER_EPOCH,
        base_sequence=NO_SEQUENCE,
        record_count=len(inner),
        is_transactional=False,
        is_control=False,
        marker=None,
        coordinator_epoch=None,
        crc=message.crc,
        max_timestamp_ms=max(record.timestamp for record in inner),
        size_bytes=message_end - position,
    )
