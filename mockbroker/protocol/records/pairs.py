"""Batches of keys and values with one timestamp, as brokers write to internal topics.

`stamps` are base offset, leader epoch and timestamp; a `writer` is producer id, epoch and base
sequence.
"""

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.records.batch import CRC_FROM, LOG_OVERHEAD_BYTES, MAGIC_V2
from mockbroker.protocol.records.varint import varint
from mockbroker.protocol.types import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    BatchHeader,
)

_BEFORE_CRC: Final = struct.Struct(">qiibI").pack
_AFTER_CRC: Final = struct.Struct(">hiqqqhii").pack
_NULL: Final = varint(-1)
_length: Final = lru_cache(1024)(varint)
"""Cached encoding of lengths, because the same few recur."""


def build_pair(
    key: bytes,
    value: bytes | None,
    *,
    stamps: tuple[int, int, int],
    attributes: int = 0,
    producer: tuple[int, int] = (NO_PRODUCER_ID, NO_PRODUCER_EPOCH),
) -> tuple[BatchHeader, bytearray]:
    """Build a batch of one record: as `build_pairs` does, at half the cost.

    Every transition of a transaction writes one.
    """
    base_offset, leader_epoch, timestamp_ms = stamps
    producer_id, producer_epoch = producer
    sized_value = _NULL if value is None else _length(len(value)) + value
    record = b"".join((b"\0\0\0", _length(len(key)), key, sized_value, b"\0"))
    fields = (
        attributes, 0, timestamp_ms, timestamp_ms, producer_id, producer_epoch, NO_SEQUENCE, 1,
    )  # fmt: skip
    covered = b"".join((_AFTER_CRC(*fields), _length(len(record)), record))
    crc = checksums.crc32c(covered)
    batch_length = CRC_FROM - LOG_OVERHEAD_BYTES + len(covered)
    front = (base_offset, batch_length, leader_epoch, MAGIC_V2, crc)
    return BatchHeader(*front, *fields), bytearray(_BEFORE_CRC(*front) + covered)


def build_pairs(
    records: Sequence[tuple[bytes, bytes | None]],
    *,
    stamps: tuple[int, int, int],
    attributes: int,
    writer: tuple[int, int, int],
) -> tuple[BatchHeader, bytearray]:
    """Build a batch of records from keys and values, all with the same timestamp."""
    base_offset, leader_epoch, timestamp_ms = stamps
    producer_id, producer_epoch, base_sequence = writer
    count = len(records)
    parts = [
        _AFTER_CRC(
            attributes, count - 1, timestamp_ms, timestamp_ms, producer_id, producer_epoch,
            base_sequence, count,
        )
    ]  # fmt: skip
    for index, (key, value) in enumerate(records):
        sized_value = _NULL if value is None else varint(len(value)) + value
        record = b"".join((b"\0\0", varint(index), varint(len(key)), key, sized_value, b"\0"))
        parts += (varint(len(record)), record)
    covered = b"".join(parts)
    crc = checksums.crc32c(covered)
    batch_length = CRC_FROM - LOG_OVERHEAD_BYTES + len(covered)
    batch = bytearray(_BEFORE_CRC(base_offset, batch_length, leader_epoch, MAGIC_V2, crc))
    batch += covered
    header = BatchHeader(
        base_offset, batch_length, leader_epoch, MAGIC_V2, crc, attributes, count - 1,
        timestamp_ms, timestamp_ms, producer_id, producer_epoch, base_sequence, count,
    )  # fmt: skip
    return header, batch
