"""The records of `__consumer_offsets` that hold what groups commit."""

import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

from mockbroker.protocol.codec import encode
from mockbroker.protocol.log_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from mockbroker.protocol.records.batch import build_batch, parse_batch_header
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    BatchHeader,
    TimestampType,
    TopicPartition,
    Uuid,
)

KEY_TYPE: Final = 1
"""What the key of such a record begins with: other records of the topic have other numbers."""
_KEY_VERSION: Final = 0
_VERSION: Final = struct.Struct(">h").pack
_BASE_SEQUENCE: Final = 0
"""Coordinators number the records of each batch from 0; nobody checks these sequences."""


class OffsetToCommit(NamedTuple):
    """One offset of a request."""

    partition: TopicPartition
    topic_id: Uuid
    offset: int
    leader_epoch: int
    metadata: str
    expire_timestamp_ms: int = -1


class TransactionalProducer(NamedTuple):
    """In whose transaction offsets are committed; without one, the fields say so."""

    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH


NOBODY: Final = TransactionalProducer()


def build_offset_commits(
    group_id: str,
    offsets: Sequence[OffsetToCommit],
    producer: TransactionalProducer,
    *,
    value_version: int,
    now_ms: int,
    timestamp_type: TimestampType = TimestampType.CREATE_TIME,
) -> tuple[BatchHeader, bytearray]:
    """Build the batch that commits a group's offsets, in a transaction or at once."""
    records = [
        Record(
            offset=index,
            timestamp=now_ms,
            key=_key(group_id, offset.partition),
            value=_value(offset, value_version, now_ms),
        )
        for index, offset in enumerate(offsets)
    ]
    batch = bytearray(
        build_batch(
            records,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            base_sequence=_BASE_SEQUENCE,
            timestamp_type=timestamp_type,
            is_transactional=producer.producer_id != NO_PRODUCER_ID,
        )
    )
    return parse_batch_header(batch), batch


def _key(group_id: str, partition: TopicPartition) -> bytes:
    key = OffsetCommitKey(group=group_id, topic=partition.topic, partition=partition.partition)
    return _VERSION(KEY_TYPE) + encode(key, _KEY_VERSION)


def _value(offset: OffsetToCommit, version: int, now_ms: int) -> bytes:
    value = OffsetCommitValue(
        offset=offset.offset,
        leader_epoch=offset.leader_epoch,
        metadata=offset.metadata,
        commit_timestamp=now_ms,
        expire_timestamp=offset.expire_timestamp_ms,
        topic_id=offset.topic_id,
    )
    return _VERSION(version) + encode(value, version)
