"""Rows for the batches in a records field: headers field by field, then each record."""

from collections.abc import Iterable, Iterator

from mockbroker.protocol.crc32c import crc32c
from mockbroker.protocol.dump.decode_rows import DumpRow, shown_text_or_bytes
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import (
    CRC_FROM,
    DECOMPRESSED_BYTES_MAX,
    HEADER_BYTES,
    MAGIC_AT,
    MAGIC_V2,
    batch_spans,
    parse_batch_header,
    records_of,
)
from mockbroker.protocol.records.control_batch import parse_end_transaction_marker
from mockbroker.protocol.records.declarations import batch_header_layout, message_layout
from mockbroker.protocol.records.message_set import (
    LegacyRecord,
    decode_message,
    records_of_message,
)
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.records.varint import VarintError, read_varint
from mockbroker.protocol.types import BatchHeader, Compression, TimestampType


def batch_rows(data: bytes, at: int, path: str) -> Iterator[DumpRow]:
    """Return the rows of the batches or messages in a records field that begins at `at`."""
    end = 0
    try:
        for i, (start, end) in enumerate(batch_spans(data)):
            here = f"{path}[{i}]"
            if end - start > MAGIC_AT and data[start + MAGIC_AT] == MAGIC_V2:
                yield from _batch(data[start:end], at + start, here)
            else:
                yield from _message(data[start:end], at + start, here)
    except DecodeError as error:
        yield DumpRow(at + end, at + len(data), path, "unreadable", str(error))
        return
    if end < len(data):
        left = len(data) - end
        yield DumpRow(
            at + end, at + len(data), path, "part", f"{left} bytes of a batch that is cut"
        )


def _batch(data: bytes, at: int, path: str) -> Iterator[DumpRow]:
    header = parse_batch_header(data)
    position = at
    for field in batch_header_layout():
        start, position = position, position + field.size_bytes
        value = _explained(field.name, header, data)
        yield DumpRow(start, position, f"{path}.{field.name}", field.kind, value)
    places = _record_places(data, at) if header.compression == Compression.NONE else ()
    yield from _record_rows(_unpacked(data), places, path, is_control=header.is_control)


def _unpacked(data: bytes) -> Iterator[Record]:
    yield from records_of(data)


def _record_places(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Yield the positions of a batch's records, as far as their lengths are readable."""
    position = HEADER_BYTES
    while position < len(data):
        try:
            size_bytes, body = read_varint(data, position)
        except (IndexError, VarintError):
            return
        start, position = position, body + size_bytes
        yield at + start, at + position


def _explained(name: str, header: BatchHeader, data: bytes) -> object:
    """Return a header field; bit fields and the checksum are explained in words."""
    if name == "crc":
        computed = crc32c(memoryview(data)[CRC_FROM:])
        verdict = "correct" if computed == header.crc else f"wrong: the bytes have {computed:#010x}"
        return f"{header.crc:#010x} ({verdict})"
    if name == "attributes":
        return f"{header.attributes} ({', '.join(_attributes(header))})"
    value: int = getattr(header, name)
    return value


def _attributes(header: BatchHeader) -> Iterator[str]:
    known = header.compression in set(Compression)
    name = Compression(header.compression).name.lower() if known else str(header.compression)
    yield f"compression {name}"
    yield TimestampType(header.timestamp_type).name.lower().replace("_", " ")
    if header.is_transactional:
        yield "transactional"
    if header.is_control:
        yield "control"
    if header.has_delete_horizon:
        yield "delete horizon"


def _record_rows(
    records: Iterable[Record],
    places: Iterable[tuple[int, int]],
    path: str,
    *,
    is_control: bool = False,
) -> Iterator[DumpRow]:
    """Return a row for each record, with its position while positions are known."""
    at = iter(places)
    try:
        for i, record in enumerate(records):
            start, end = next(at, (None, None))
            shown = _shown_marker(record) if is_control else shown_record(record)
            yield DumpRow(start, end, f"{path}.records[{i}]", "record", shown)
    except DecodeError as error:
        yield DumpRow(
            None, None, f"{path}.{error.path.removeprefix('batch.')}", "unreadable", error.why
        )


def shown_record(record: Record) -> str:
    """Format a record as one line."""
    key, value = shown_text_or_bytes(record.key), shown_text_or_bytes(record.value)
    headers = "".join(f", header {k!r}: {shown_text_or_bytes(v)}" for k, v in record.headers)
    return (
        f"offset {record.offset}, timestamp {record.timestamp}, key {key}, value {value}{headers}"
    )


def _shown_marker(record: Record) -> str:
    try:
        marker = parse_end_transaction_marker(record)
    except DecodeError:
        return shown_record(record)
    ended = f"{marker.control_type.name}, coordinator epoch {marker.coordinator_epoch}"
    return f"offset {record.offset}, timestamp {record.timestamp}, {ended}"


def _message(data: bytes, at: int, path: str) -> Iterator[DumpRow]:
    """Return the rows of a message of the formats 0 and 1, and of the messages inside it."""
    message = decode_message(data, 0, len(data))
    position = at
    for name, size_bytes, kind, value in message_layout(message):
        yield DumpRow(position, position + size_bytes, f"{path}.{name}", kind, value)
        position += size_bytes
    if message.compression != Compression.NONE:
        yield from _record_rows(_wrapped(message), (), path)


def _wrapped(message: LegacyRecord) -> Iterator[Record]:
    yield from records_of_message(message, limit_bytes=DECOMPRESSED_BYTES_MAX)
