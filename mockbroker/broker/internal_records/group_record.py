"""Records of `__consumer_offsets`: committed offsets, classic groups and those of other kinds.

The bytes are those of the declarations in `protocol.log_records`.
"""

import sys
from functools import lru_cache
from typing import Final

from mockbroker.broker.internal_records.modern_record import (
    is_modern_record,
    read_modern_record,
    write_modern_key,
)
from mockbroker.broker.internal_records.streams_record import (
    read_streams_record,
    write_streams_key,
)
from mockbroker.protocol.codec import decode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.log_records.group_metadata import (
    GroupMetadataKey,
    MemberMetadata,
)
from mockbroker.protocol.log_records.group_metadata import (
    GroupMetadataValue as DeclaredGroup,
)
from mockbroker.protocol.log_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from mockbroker.protocol.types import TopicPartition
from mockbroker.protocol.versioned import VERSION_BYTES, read_version, write_versioned
from mockbroker.protocol.versioned import write_key as write_key_of
from mockbroker.state.group.group_log_record import (
    NO_EXPIRY,
    NO_LEADER_EPOCH,
    GroupLogRecord,
    GroupMetadataValue,
    GroupRecord,
    MemberMetadataValue,
    OffsetAndMetadata,
    OffsetRecord,
)
from mockbroker.state.group.streams.streams_records import StreamsRecord

LEGACY_OFFSET_KEY: Final = 0
OFFSET_KEY: Final = 1
GROUP_KEY: Final = 2
"""Key versions, which determine the type of a record; other records have other numbers."""
_KEY_VERSION: Final = 0
OFFSET_VALUE_VERSIONS: Final = range(5)
GROUP_VALUE_VERSIONS: Final = range(5)
EXPIRING_VERSION: Final = 1
"""The only version in which an offset has its own expiry time."""
_FIRST_WITH_LEADER_EPOCH: Final = 3
_REMEMBERED: Final = 4096
"""Cache size: a group commits the same partitions repeatedly, so keys are encoded once."""


def write_key(record: GroupLogRecord) -> bytes:
    """Encode the key of a record."""
    if isinstance(record, OffsetRecord):
        return _offset_key(record.group_id, record.partition)
    if isinstance(record, GroupRecord):
        return write_key_of(GROUP_KEY, GroupMetadataKey(group=record.group_id))
    if isinstance(record, StreamsRecord):
        return write_streams_key(record)
    return write_modern_key(record)


@lru_cache(_REMEMBERED)
def _offset_key(group_id: str, partition: TopicPartition) -> bytes:
    key = OffsetCommitKey(group=group_id, topic=partition.topic, partition=partition.partition)
    return write_key_of(OFFSET_KEY, key)


def write_offset(value: OffsetAndMetadata, version: int) -> bytes:
    """Encode a committed offset; fields that the version lacks are left out."""
    declared = OffsetCommitValue(
        offset=value.offset,
        leader_epoch=value.leader_epoch,
        metadata=value.metadata,
        commit_timestamp=value.commit_timestamp_ms,
        expire_timestamp=value.expire_timestamp_ms,
        topic_id=value.topic_id,
    )
    return write_versioned(declared, version)


def write_group(value: GroupMetadataValue, version: int) -> bytes:
    """Encode a group; fields that the version lacks are left out."""
    declared = DeclaredGroup(
        protocol_type=value.protocol_type,
        generation=value.generation,
        protocol=value.protocol,
        leader=value.leader,
        current_state_timestamp=value.current_state_timestamp_ms,
        members=[
            MemberMetadata(
                member_id=member.member_id,
                group_instance_id=member.group_instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                rebalance_timeout=member.rebalance_timeout_ms,
                session_timeout=member.session_timeout_ms,
                subscription=member.subscription,
                assignment=member.assignment,
            )
            for member in value.members
        ],
    )
    return write_versioned(declared, version)


def read_record(
    key: bytes | None, value: bytes | None, record_offset: int
) -> GroupLogRecord | None:
    """Decode a record; return None if it belongs to no group of a known kind.

    Raises:
        DecodeError: the key or the value is invalid.

    """
    if key is None or len(key) < VERSION_BYTES:
        return None
    kind = read_version(key)
    if kind in (OFFSET_KEY, LEGACY_OFFSET_KEY):
        about = decode(OffsetCommitKey, _KEY_VERSION, key, VERSION_BYTES)
        # The same text for all partitions of a topic.
        partition = TopicPartition(sys.intern(about.topic), about.partition)
        offset = None if value is None else read_offset(value, record_offset)
        return OffsetRecord(about.group, partition, offset)
    if kind == GROUP_KEY:
        group_id = decode(GroupMetadataKey, _KEY_VERSION, key, VERSION_BYTES).group
        return GroupRecord(group_id, None if value is None else read_group(value))
    if is_modern_record(kind):
        return read_modern_record(kind, key, value)
    return read_streams_record(kind, key, value)


def read_offset(data: bytes, record_offset: int) -> OffsetAndMetadata:
    """Decode a committed offset of any version.

    Raises:
        DecodeError: the version is unknown, or the value is invalid.

    """
    version = _version_of(data, OFFSET_VALUE_VERSIONS, "a committed offset")
    read = decode(OffsetCommitValue, version, data, VERSION_BYTES)
    return OffsetAndMetadata(
        read.offset,
        read.leader_epoch if version >= _FIRST_WITH_LEADER_EPOCH else NO_LEADER_EPOCH,
        read.metadata,
        read.commit_timestamp,
        read.expire_timestamp if version == EXPIRING_VERSION else NO_EXPIRY,
        read.topic_id,
        record_offset,
    )


def read_group(data: bytes) -> GroupMetadataValue:
    """Decode a group of any version.

    Raises:
        DecodeError: the version is unknown, or the value is invalid.

    """
    version = _version_of(data, GROUP_VALUE_VERSIONS, "a group")
    read = decode(DeclaredGroup, version, data, VERSION_BYTES)
    return GroupMetadataValue(
        protocol_type=read.protocol_type,
        generation=read.generation,
        protocol=read.protocol,
        leader=read.leader,
        current_state_timestamp_ms=read.current_state_timestamp,
        members=tuple(
            MemberMetadataValue(
                member_id=member.member_id,
                group_instance_id=member.group_instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                rebalance_timeout_ms=member.rebalance_timeout,
                session_timeout_ms=member.session_timeout,
                subscription=member.subscription,
                assignment=member.assignment,
            )
            for member in read.members
        ),
    )


def _version_of(data: bytes, known: range, what: str) -> int:
    version = read_version(data)
    if version not in known:
        raise DecodeError("value.version", f"unknown version {version} of {what}")
    return version
