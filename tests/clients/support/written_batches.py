"""Batches of no client: written by Produce v3, with whatever producer id and sequence it takes."""

import struct
import time
from dataclasses import dataclass
from typing import Final

from crc32c import crc32c

from tests.clients.support.wire import Reader, array, call, leaders, string

_MAGIC: Final = 2
_TRANSACTIONAL: Final = 0x10
_ACKS_ALL: Final = -1
_TIMEOUT_MS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerState:
    """Who a batch says it comes from, and where in that producer's sequence it is."""

    producer_id: int
    producer_epoch: int
    base_sequence: int
    transactional_id: str


def append(
    bootstrap_servers: str,
    topic: str,
    partition: int,
    *values: str,
    producer: ProducerState | None = None,
    timestamp_ms: int | None = None,
) -> int:
    """Append one batch, of a transaction when a producer is given; return the error code."""
    timestamp_ms = int(time.time() * 1000) if timestamp_ms is None else timestamp_ms
    records = _batch(values, producer, timestamp_ms)
    partitions = array(struct.pack(">ii", partition, len(records)) + records)
    transactional_id = b"\xff\xff" if producer is None else string(producer.transactional_id)
    body = transactional_id + struct.pack(">hi", _ACKS_ALL, _TIMEOUT_MS)
    leader = leaders(bootstrap_servers, topic)[partition]
    answer = Reader(
        call(leader, api_key=0, api_version=3, body=body + array(string(topic) + partitions))
    )
    answer.unpack(">i")
    answer.string()
    _, _, error_code = answer.unpack(">iih")
    return error_code


def _batch(values: tuple[str, ...], producer: ProducerState | None, timestamp_ms: int) -> bytes:
    state = (
        (-1, -1, -1)
        if producer is None
        else (producer.producer_id, producer.producer_epoch, producer.base_sequence)
    )
    attributes = 0 if producer is None else _TRANSACTIONAL
    checked = struct.pack(">hi", attributes, len(values) - 1)
    checked += struct.pack(">qq", timestamp_ms, timestamp_ms)
    checked += struct.pack(">qhii", *state, len(values))
    checked += b"".join(_record(delta, value.encode()) for delta, value in enumerate(values))
    after_length = struct.pack(">ibI", -1, _MAGIC, crc32c(checked)) + checked
    return struct.pack(">qi", 0, len(after_length)) + after_length


def _record(offset_delta: int, value: bytes) -> bytes:
    # no attributes, timestamp delta 0, the offset's delta, null key, the value, no headers
    body = b"\0\0" + bytes([_zigzag(offset_delta), 1, _zigzag(len(value))]) + value + b"\0"
    return bytes([_zigzag(len(body))]) + body


def _zigzag(number: int) -> int:
    """Return the one byte of a small positive number."""
    assert number < 64, f"{number} takes more than one byte"
    return number * 2
