"""Records of `__transaction_state`: key version 0, value versions 0 and 1.

Encoding is straight-line code, since every step of every transaction writes a record; a test
compares the bytes with the declarations in `protocol.log_records`. Decoding, which a new
coordinator does, uses the declarations.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from mockbroker.protocol.codec import decode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.log_records.transaction_log import PartitionsSchema, TransactionLogKey
from mockbroker.protocol.log_records.transaction_log import (
    TransactionLogValue as DeclaredValue,
)
from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, TopicPartition
from mockbroker.protocol.varint import write_uvarint
from mockbroker.state.transaction.transaction_log_value import TransactionLogValue

KEY_VERSION: Final = 0
VALUE_VERSIONS: Final = (0, 1)
_LAST_PRODUCER_EPOCH_TAG: Final = 10_360
_VERSION: Final = struct.Struct(">h")
_FRONT: Final = struct.Struct(">hqhib").pack
_TIMES: Final = struct.Struct(">qq").pack
_SHORT: Final = struct.Struct(">h").pack
_INT: Final = struct.Struct(">i").pack
_LONG: Final = struct.Struct(">q").pack
_NULL_ARRAY: Final = _INT(-1)
_FLEXIBLE_FROM: Final = 1
_NO_TAGS: Final = b"\x00"
_FIRST_TAGGED: Final = TransactionLogValue._fields.index("previous_producer_id")
_REMEMBERED: Final = 128
"""Cache size: the transactions of a producer have the same keys and partitions."""


@lru_cache(_REMEMBERED)
def write_key(transactional_id: str) -> bytes:
    """Encode the key of a transactional id's records."""
    name = transactional_id.encode()
    return _SHORT(KEY_VERSION) + _SHORT(len(name)) + name


def write_value(value: TransactionLogValue, version: int) -> bytes:
    """Encode a value; fields that version 0 lacks are left out."""
    front = _FRONT(
        version,
        value.producer_id,
        value.producer_epoch,
        value.transaction_timeout_ms,
        value.state,
    )
    times = _TIMES(value.last_update_timestamp_ms, value.start_timestamp_ms)
    partitions = _written_partitions(value.partitions, version)
    if version < _FLEXIBLE_FROM:
        return front + partitions + times
    return front + partitions + times + _tagged_fields(value[_FIRST_TAGGED:])


@lru_cache(_REMEMBERED)
def _written_partitions(partitions: tuple[TopicPartition, ...] | None, version: int) -> bytes:
    by_topic = None if partitions is None else _by_topic(partitions)
    return _partitions(by_topic) if version < _FLEXIBLE_FROM else _compact_partitions(by_topic)


def _by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    by_topic: dict[str, list[int]] = {}
    for topic, index in partitions:
        by_topic.setdefault(topic, []).append(index)
    return by_topic


def _partitions(by_topic: Mapping[str, list[int]] | None) -> bytes:
    if by_topic is None:
        return _NULL_ARRAY
    parts = [_INT(len(by_topic))]
    for topic, indexes in by_topic.items():
        name = topic.encode()
        parts += (
            _SHORT(len(name)),
            name,
            struct.pack(f">i{len(indexes)}i", len(indexes), *indexes),
        )
    return b"".join(parts)


def _compact_partitions(by_topic: Mapping[str, list[int]] | None) -> bytes:
    if by_topic is None:
        return write_uvarint(0)
    parts = [write_uvarint(len(by_topic) + 1)]
    for topic, indexes in by_topic.items():
        name = topic.encode()
        numbers = struct.pack(f">{len(indexes)}i", *indexes)
        parts += (write_uvarint(len(name) + 1), name, write_uvarint(len(indexes) + 1), numbers)
        parts.append(_NO_TAGS)
    return b"".join(parts)


@lru_cache(_REMEMBERED)
def _tagged_fields(values: tuple[int, int, int, int, int]) -> bytes:
    """Encode the tagged fields that are not default, in the order of their tags."""
    (
        previous_producer_id, next_producer_id, client_transaction_version, next_producer_epoch,
        last_producer_epoch,
    ) = values  # fmt: skip
    tagged: list[tuple[int, bytes]] = []
    if previous_producer_id != NO_PRODUCER_ID:
        tagged.append((0, _LONG(previous_producer_id)))
    if next_producer_id != NO_PRODUCER_ID:
        tagged.append((1, _LONG(next_producer_id)))
    if client_transaction_version:
        tagged.append((2, _SHORT(client_transaction_version)))
    if next_producer_epoch != NO_PRODUCER_EPOCH:
        tagged.append((3, _SHORT(next_producer_epoch)))
    if last_producer_epoch != NO_PRODUCER_EPOCH:
        tagged.append((_LAST_PRODUCER_EPOCH_TAG, _SHORT(last_producer_epoch)))
    parts = [write_uvarint(len(tagged))]
    for tag, data in tagged:
        parts += (write_uvarint(tag), write_uvarint(len(data)), data)
    return b"".join(parts)


def read_key(data: bytes | None) -> str | None:
    """Decode the transactional id of a key; return None for a key of another kind.

    Raises:
        DecodeError: the key is invalid.

    """
    if data is None or len(data) < _VERSION.size or _VERSION.unpack_from(data)[0] != KEY_VERSION:
        return None
    return decode(TransactionLogKey, KEY_VERSION, data, _VERSION.size).transactional_id


def read_value(data: bytes) -> TransactionLogValue:
    """Decode a value of either version.

    Raises:
        DecodeError: the version is unknown, or the value is invalid.

    """
    if len(data) < _VERSION.size:
        raise DecodeError("value", f"{len(data)} bytes are too few for a version")
    (version,) = _VERSION.unpack_from(data)
    if version not in VALUE_VERSIONS:
        raise DecodeError("value.version", f"unknown version {version} of a transaction's record")
    declared = decode(DeclaredValue, version, data, _VERSION.size)
    partitions = declared.transaction_partitions
    return TransactionLogValue(
        producer_id=declared.producer_id,
        producer_epoch=declared.producer_epoch,
        transaction_timeout_ms=declared.transaction_timeout_ms,
        state=declared.transaction_status,
        partitions=None if partitions is None else tuple(_flat(partitions)),
        last_update_timestamp_ms=declared.transaction_last_update_timestamp_ms,
        start_timestamp_ms=declared.transaction_start_timestamp_ms,
        previous_producer_id=declared.previous_producer_id,
        next_producer_id=declared.next_producer_id,
        client_transaction_version=declared.client_transaction_version,
        next_producer_epoch=declared.next_producer_epoch,
        last_producer_epoch=declared.last_producer_epoch,
    )


def _flat(topics: Iterable[PartitionsSchema]) -> Iterator[TopicPartition]:
    for topic in topics:
        for index in topic.partition_ids:
            yield TopicPartition(topic.topic, index)
