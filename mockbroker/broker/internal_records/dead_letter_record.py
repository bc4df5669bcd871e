"""Dead letters of share groups: their headers, and what they copy of their sources (KIP-1191)."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import (
    HEADER_BYTES,
    build_batch,
    decompressed_payload,
    parse_batch_header,
)
from mockbroker.protocol.records.record import Header, Record, decode_records, encode_record
from mockbroker.protocol.types import BatchHeader, Buffer
from mockbroker.state.share.dead_letters.dead_letter import DeadLetters

TOPIC: Final = "__dlq.errors.topic"
PARTITION: Final = "__dlq.errors.partition"
OFFSET: Final = "__dlq.errors.offset"
GROUP: Final = "__dlq.errors.group"
DELIVERY_COUNT: Final = "__dlq.errors.delivery.count"
MESSAGE: Final = "__dlq.errors.message"


class SourceRecords(NamedTuple):
    """What was read of the records of dead letters (`ShareGroupDLQRecordFetcher.FetchResult`)."""

    records: Mapping[int, Record]
    """The records by offset; those that cannot be read, or are too large, are missing."""
    last_offset: int
    """The last offset of which it is certain what a dead letter has; the others did not fit."""


class _SourceReader:
    """One reading of source records, within the size of a batch of the dead-letter queue."""

    def __init__(self, letters: DeadLetters, bytes_max: int) -> None:
        self.records: Final[dict[int, Record]] = {}
        self.is_full = False
        self.next_offset = letters.first_offset
        self._last_offset: Final = letters.last_offset
        self._bytes_max: Final = bytes_max
        self._size_bytes = 0

    def read(self, data: Buffer) -> None:
        """Take the records of a batch, until one does not fit beside the others."""
        header = parse_batch_header(data)
        limit_bytes = self._bytes_max if header.compression else len(data)
        try:
            payload = decompressed_payload(data, header, limit_bytes=limit_bytes)
        except DecodeError:
            # No reading will have room for such a batch.
            self.next_offset = max(self.next_offset, header.last_offset + 1)
            return
        for record, size_bytes in _sized_records(header, payload):
            if not self.next_offset <= record.offset <= self._last_offset:
                continue
            if not header.compression and size_bytes > self._bytes_max:
                self.next_offset = record.offset + 1
                continue
            if self._size_bytes + size_bytes > self._bytes_max:
                self.is_full = True
                return
            self.records[record.offset] = record
            self._size_bytes += size_bytes
            self.next_offset = record.offset + 1
        self.is_full = self._size_bytes >= self._bytes_max


def _sized_records(header: BatchHeader, payload: Buffer) -> Iterable[tuple[Record, int]]:
    for record in decode_records(
        payload, header.record_count, header.base_offset, header.base_timestamp
    ):
        yield record, len(encode_record(record, header.base_offset, header.base_timestamp))


def read_sources(
    letters: DeadLetters, batches: Iterable[Buffer], *, bytes_max: int
) -> SourceRecords:
    """Read the sources of dead letters from the batches of their log, as far as they fit."""
    reader = _SourceReader(letters, bytes_max)
    for data in batches:
        if reader.is_full or reader.next_offset > letters.last_offset:
            break
        reader.read(data)
    last_offset = reader.next_offset - 1 if reader.is_full else letters.last_offset
    return SourceRecords(reader.records, min(last_offset, letters.last_offset))


def build_dead_letters(
    letters: DeadLetters, sources: SourceRecords, *, timestamp_ms: int, bytes_max: int
) -> tuple[bytes, int]:
    """Build a batch of as many dead letters as fit; return it with the offset of the last one.

    The first one is in it, even if it is too large.
    """
    last_offset = max(letters.first_offset, sources.last_offset)
    records: list[Record] = []
    size_bytes = HEADER_BYTES
    for offset in range(letters.first_offset, last_offset + 1):
        source = sources.records.get(offset)
        record = Record(
            offset=len(records),
            timestamp=timestamp_ms,
            key=None if source is None else source.key,
            value=None if source is None else source.value,
            headers=_headers(letters, offset),
        )
        size_bytes += len(encode_record(record, 0, timestamp_ms))
        if records and size_bytes > bytes_max:
            break
        records.append(record)
        if size_bytes > bytes_max:
            break
    return build_batch(records), letters.first_offset + len(records) - 1


def _headers(letters: DeadLetters, offset: int) -> list[Header]:
    topic, partition = letters.source.topic_partition
    return [
        (TOPIC, topic.encode()),
        (PARTITION, b"%d" % partition),
        (OFFSET, b"%d" % offset),
        (GROUP, letters.group_id.encode()),
        (DELIVERY_COUNT, b"%d" % letters.delivery_count),
        (MESSAGE, letters.cause.encode()),
    ]
