"""Records of `__transaction_state`: key version 0, value versions 0 and 1.

The bytes are those of the declarations in `protocol.log_records`.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from mockbroker.protocol.codec import decode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.log_records.transaction_log import PartitionsSchema, TransactionLogKey
from mockbroker.protocol.log_records.transaction_log import (
    TransactionLogValue as DeclaredValue,
)
from mockbroker.protocol.types import TopicPartition
from mockbroker.protocol.versioned import VERSION_BYTES, read_version, write_versioned
from mockbroker.state.transaction.transaction_log import TransactionLogValue

KEY_VERSION: Final = 0
VALUE_VERSIONS: Final = (0, 1)
_REMEMBERED: Final = 128
"""Cache size: the transactions of a producer have the same keys and partitions."""


@lru_cache(_REMEMBERED)
def write_key(transactional_id: str) -> bytes:
    """Encode the key of a transactional id's records."""
    return write_versioned(TransactionLogKey(transactional_id=transactional_id), KEY_VERSION)


def write_value(value: TransactionLogValue, version: int) -> bytes:
    """Encode a value; fields that version 0 lacks are left out."""
    declared = DeclaredValue(
        producer_id=value.producer_id,
        previous_producer_id=value.previous_producer_id,
        next_producer_id=value.next_producer_id,
        producer_epoch=value.producer_epoch,
        next_producer_epoch=value.next_producer_epoch,
        transaction_timeout_ms=value.transaction_timeout_ms,
        transaction_status=value.state,
        transaction_partitions=_by_topic(value.partitions),
        transaction_last_update_timestamp_ms=value.last_update_timestamp_ms,
        transaction_start_timestamp_ms=value.start_timestamp_ms,
        client_transaction_version=value.client_transaction_version,
        last_producer_epoch=value.last_producer_epoch,
    )
    return write_versioned(declared, version)


@lru_cache(_REMEMBERED)
def _by_topic(partitions: tuple[TopicPartition, ...] | None) -> list[PartitionsSchema] | None:
    if partitions is None:
        return None
    by_topic: dict[str, list[int]] = {}
    for topic, index in partitions:
        by_topic.setdefault(topic, []).append(index)
    return [PartitionsSchema(topic=each, partition_ids=ids) for each, ids in by_topic.items()]


def read_key(data: bytes | None) -> str | None:
    """Decode the transactional id of a key; return None for a key of another kind.

    Raises:
        DecodeError: the key is invalid.

    """
    if data is None or len(data) < VERSION_BYTES or read_version(data) != KEY_VERSION:
        return None
    return decode(TransactionLogKey, KEY_VERSION, data, VERSION_BYTES).transactional_id


def read_value(data: bytes) -> TransactionLogValue:
    """Decode a value of either version.

    Raises:
        DecodeError: the version is unknown, or the value is invalid.

    """
    version = read_version(data)
    if version not in VALUE_VERSIONS:
        raise DecodeError("value.version", f"unknown version {version} of a transaction's record")
    declared = decode(DeclaredValue, version, data, VERSION_BYTES)
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
