"""Records of `__consumer_offsets`: committed offsets and classic groups.

Offsets are encoded and decoded in straight-line code, since each commit writes one for every
partition and a new coordinator reads all of them; tests compare the bytes with the declarations in
`protocol.log_records`. Groups use the declarations.
"""

import struct
from functools import lru_cache
from typing import Final

from mockbroker.protocol.codec import decode, encode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.log_records.group_metadata import (
    GroupMetadataKey,
    MemberMetadata,
)
from mockbroker.protocol.log_records.group_metadata import (
    GroupMetadataValue as DeclaredGroup,
)
from mockbroker.protocol.log_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from mockbroker.protocol.types import ZERO_UUID, TopicPartition, Uuid
from mockbroker.protocol.varint import write_uvarint
from mockbroker.state.group.group_log_record import GroupLogRecord, GroupRecord, OffsetRecord
from mockbroker.state.group.group_log_value import GroupMetadataValue, MemberMetadataValue
from mockbroker.state.group.offset_and_metadata import (
    NO_EXPIRY,
    NO_LEADER_EPOCH,
    OffsetAndMetadata,
)

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
_FIRST_FLEXIBLE: Final = 4
_REMEMBERED: Final = 4096
"""Cache size: a group commits the same partitions repeatedly, so keys are encoded once."""

_VERSION: Final = struct.Struct(">h")
_SHORT: Final = _VERSION.pack
_LONG: Final = struct.Struct(">q")
_OFFSET: Final = struct.Struct(">hq")
_OFFSET_AND_EPOCH: Final = struct.Struct(">hqi")
_TWO_TIMES: Final = struct.Struct(">qq").pack
_TWO_SHORTS: Final = struct.Struct(">hh").unpack_from
_TWO_SHORTS_BYTES: Final = 4
_INT: Final = struct.Struct(">i").unpack_from
_NO_TAGS: Final = b"\x00"
_TOPIC_ID: Final = b"\x01\x00\x10"
"""Tagged fields with one entry: tag 0, 16 bytes."""


def write_key(record: GroupLogRecord) -> bytes:
    """Encode the key of a record."""
    if isinstance(record, OffsetRecord):
        return _offset_key(record.group_id, record.partition)
    return _SHORT(GROUP_KEY) + encode(GroupMetadataKey(group=record.group_id), _KEY_VERSION)


@lru_cache(_REMEMBERED)
def _offset_key(group_id: str, partition: TopicPartition) -> bytes:
    key = OffsetCommitKey(group=group_id, topic=partition.topic, partition=partition.partition)
    return _SHORT(OFFSET_KEY) + encode(key, _KEY_VERSION)


def write_offset(value: OffsetAndMetadata, version: int) -> bytes:
    """Encode a committed offset; fields that the version lacks are left out."""
    text = value.metadata.encode("utf-8", "surrogatepass")
    committed_ms = value.commit_timestamp_ms
    if version >= _FIRST_FLEXIBLE:
        topic_id = value.topic_id
        return b"".join(
            (
                _OFFSET_AND_EPOCH.pack(version, value.offset, value.leader_epoch),
                write_uvarint(len(text) + 1),
                text,
                _LONG.pack(committed_ms),
                _NO_TAGS if topic_id == ZERO_UUID else _TOPIC_ID + topic_id.bytes,
            )
        )
    if version >= _FIRST_WITH_LEADER_EPOCH:
        front = _OFFSET_AND_EPOCH.pack(version, value.offset, value.leader_epoch)
    else:
        front = _OFFSET.pack(version, value.offset)
    if version == EXPIRING_VERSION:
        times = _TWO_TIMES(committed_ms, value.expire_timestamp_ms)
    else:
        times = _LONG.pack(committed_ms)
    return b"".join((front, _SHORT(len(text)), text, times))


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
    return _SHORT(version) + encode(declared, version)


def read_record(
    key: bytes | None, value: bytes | None, record_offset: int
) -> GroupLogRecord | None:
    """Decode a record; return None if it is neither an offset nor a classic group.

    Raises:
        DecodeError: the key or the value is invalid.

    """
    if key is None or len(key) < _VERSION.size:
        return None
    (kind,) = _VERSION.unpack_from(key)
    if kind in (OFFSET_KEY, LEGACY_OFFSET_KEY):
        group_id, partition = _read_offset_key(key)
        offset = None if value is None else read_offset(value, record_offset)
        return OffsetRecord(group_id, partition, offset)
    if kind == GROUP_KEY:
        group_id = decode(GroupMetadataKey, _KEY_VERSION, key, _VERSION.size).group
        return GroupRecord(group_id, None if value is None else read_group(value))
    return None


def _read_offset_key(key: bytes) -> tuple[str, TopicPartition]:
    try:
        group_stop = _TWO_SHORTS(key)[1] + _TWO_SHORTS_BYTES
        topic_start = group_stop + _VERSION.size
        topic_stop = _VERSION.unpack_from(key, group_stop)[0] + topic_start
        (partition,) = _INT(key, topic_stop)
        group_id, topic = key[_TWO_SHORTS_BYTES:group_stop].decode(), key[topic_start:topic_stop]
        return group_id, TopicPartition(_name(topic), partition)
    except (struct.error, UnicodeDecodeError) as error:
        raise DecodeError("key", str(error)) from None


@lru_cache(_REMEMBERED)
def _name(data: bytes) -> str:
    """Decode a topic name; the cache shares one string for all its partitions."""
    return data.decode()


def read_offset(data: bytes, record_offset: int) -> OffsetAndMetadata:
    """Decode a committed offset of any version.

    Raises:
        DecodeError: the version is unknown, or the value is invalid.

    """
    version = _version_of(data, OFFSET_VALUE_VERSIONS, "a committed offset")
    plain = _read_plain(data, record_offset) if version == _FIRST_FLEXIBLE else None
    if plain is not None:
        return plain
    read = decode(OffsetCommitValue, version, data, _VERSION.size)
    return OffsetAndMetadata(
        read.offset,
        read.leader_epoch if version >= _FIRST_WITH_LEADER_EPOCH else NO_LEADER_EPOCH,
        read.metadata,
        read.commit_timestamp,
        read.expire_timestamp if version == EXPIRING_VERSION else NO_EXPIRY,
        read.topic_id,
        record_offset,
    )


def _read_plain(data: bytes, record_offset: int) -> OffsetAndMetadata | None:
    """Decode the current format; return None for long metadata or unknown tags."""
    start = _OFFSET_AND_EPOCH.size + 1
    if len(data) < start or data[start - 1] > 0x7F:
        return None
    _, offset, leader_epoch = _OFFSET_AND_EPOCH.unpack_from(data)
    stop = start + data[start - 1] - 1
    tags = data[stop + _LONG.size :]
    if tags == _NO_TAGS:
        topic_id = ZERO_UUID
    elif tags.startswith(_TOPIC_ID) and len(tags) == len(_TOPIC_ID) + 16:
        topic_id = _uuid(tags[len(_TOPIC_ID) :])
    else:
        return None
    text = data[start:stop].decode() if start != stop else ""
    (committed_ms,) = _LONG.unpack_from(data, stop)
    return OffsetAndMetadata(
        offset, leader_epoch, text, committed_ms, NO_EXPIRY, topic_id, record_offset
    )


@lru_cache(_REMEMBERED)
def _uuid(data: bytes) -> Uuid:
    return Uuid(bytes=data)


def read_group(data: bytes) -> GroupMetadataValue:
    """Decode a group of any version.

    Raises:
        DecodeError: the version is unknown, or the value is invalid.

    """
    version = _version_of(data, GROUP_VALUE_VERSIONS, "a group")
    read = decode(DeclaredGroup, version, data, _VERSION.size)
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
    if len(data) < _VERSION.size:
        raise DecodeError("value", f"{len(data)} bytes are too few for a version")
    version: int = _VERSION.unpack_from(data)[0]
    if version not in known:
        raise DecodeError("value.version", f"unknown version {version} of {what}")
    return version
