"""Keys and values of the records of groups and their offsets."""

from uuid import UUID

import pytest

from mockbroker.broker.internal_records.group_record import (
    read_group,
    read_offset,
    read_record,
    write_group,
    write_key,
    write_offset,
)
from mockbroker.protocol.codec import encode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.log_records.group_metadata import GroupMetadataKey
from mockbroker.protocol.log_records.group_metadata import GroupMetadataValue as DeclaredGroup
from mockbroker.protocol.log_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from mockbroker.protocol.types import ZERO_UUID, TopicPartition
from mockbroker.state.group.group_log_record import (
    GroupMetadataValue,
    GroupRecord,
    MemberMetadataValue,
    OffsetAndMetadata,
    OffsetRecord,
)

ORDERS = TopicPartition("orders", 4)
OFFSET = OffsetAndMetadata(10, 3, "ä", 1_000, -1, UUID(int=7), 42)
MEMBER = MemberMetadataValue("m-1", "i-1", "client", "/127.0.0.1", 60_000, 10_000, b"s", b"a")
GROUP = GroupMetadataValue("consumer", 3, "range", "m-1", 1_000, (MEMBER,))

FIRST_WITH_EPOCH = 3
FIRST_WITH_INSTANCE = 3
FIRST_WITH_TIMESTAMP = 2


def held_by(version: int) -> OffsetAndMetadata:
    return OFFSET._replace(
        leader_epoch=3 if version >= FIRST_WITH_EPOCH else -1,
        topic_id=UUID(int=7) if version == 4 else ZERO_UUID,
    )


@pytest.mark.parametrize("version", range(5))
@pytest.mark.parametrize("text", ["ä", "", "x" * 300])
def test_an_offset_is_written_as_it_is_declared(version: int, text: str) -> None:
    offset = held_by(version)._replace(metadata=text, expire_timestamp_ms=5 if version == 1 else -1)
    declared = OffsetCommitValue(
        offset=offset.offset,
        leader_epoch=offset.leader_epoch,
        metadata=text,
        commit_timestamp=offset.commit_timestamp_ms,
        expire_timestamp=offset.expire_timestamp_ms,
        topic_id=offset.topic_id,
    )
    written = write_offset(offset, version)
    assert written == version.to_bytes(2, "big") + encode(declared, version)
    assert read_offset(written, 42) == offset


def test_an_offset_of_a_topic_without_an_id_has_no_tag() -> None:
    offset = OFFSET._replace(topic_id=ZERO_UUID)
    written = write_offset(offset, 4)
    assert written.endswith(b"\0")
    assert read_offset(written, 42) == offset


def test_unknown_tags_are_skipped() -> None:
    written = write_offset(OFFSET._replace(topic_id=ZERO_UUID), 4)
    assert read_offset(written[:-1] + b"\x01\x09\x01!", 42) == OFFSET._replace(topic_id=ZERO_UUID)


@pytest.mark.parametrize("version", range(5))
def test_a_group_is_read_as_it_was_written(version: int) -> None:
    member = MEMBER._replace(
        group_instance_id="i-1" if version >= FIRST_WITH_INSTANCE else None,
        rebalance_timeout_ms=60_000 if version else -1,
    )
    timestamp_ms = 1_000 if version >= FIRST_WITH_TIMESTAMP else -1
    expected = GROUP._replace(members=(member,), current_state_timestamp_ms=timestamp_ms)
    written = write_group(expected, version)
    assert written[:2] == version.to_bytes(2, "big")
    assert read_group(written) == expected


def test_a_group_without_protocol_and_leader_has_nulls() -> None:
    empty = GroupMetadataValue("", 0, None, None, 5, ())
    declared = DeclaredGroup(
        protocol_type="", generation=0, protocol=None, leader=None, current_state_timestamp=5
    )
    assert write_group(empty, 3) == b"\0\3" + encode(declared, 3)
    assert read_group(write_group(empty, 3)) == empty


def test_keys_are_those_of_kafka() -> None:
    key = OffsetCommitKey(group="readers", topic="orders", partition=4)
    assert write_key(OffsetRecord("readers", ORDERS, OFFSET)) == b"\0\1" + encode(key, 0)
    group = GroupMetadataKey(group="readers")
    assert write_key(GroupRecord("readers", None)) == b"\0\2" + encode(group, 0)


@pytest.mark.parametrize(
    "record",
    [
        OffsetRecord("readers", ORDERS, OFFSET),
        OffsetRecord("readers", ORDERS, None),
        GroupRecord("readers", GROUP),
        GroupRecord("readers", None),
    ],
)
def test_a_record_is_read_as_it_was_written(record: OffsetRecord | GroupRecord) -> None:
    if record.value is None:
        value = None
    elif isinstance(record, OffsetRecord):
        value = write_offset(record.value, 4)
    else:
        value = write_group(record.value, 3)
    assert read_record(write_key(record), value, 42) == record


def test_an_offset_with_a_key_of_the_first_version_is_read() -> None:
    key = b"\0\0" + write_key(OffsetRecord("readers", ORDERS, None))[2:]
    assert read_record(key, None, 0) == OffsetRecord("readers", ORDERS, None)


@pytest.mark.parametrize("key", [None, b"", b"\0", b"\0\x09\0\0"])
def test_other_records_are_left_out(key: bytes | None) -> None:
    assert read_record(key, b"", 0) is None


@pytest.mark.parametrize("value", [b"", b"\0", b"\0\5" + bytes(40)])
def test_values_of_other_versions_are_errors(value: bytes) -> None:
    with pytest.raises(DecodeError):
        read_offset(value, 0)
    with pytest.raises(DecodeError):
        read_group(value)


def test_a_key_that_is_cut_off_is_an_error() -> None:
    with pytest.raises(DecodeError):
        read_record(write_key(OffsetRecord("readers", ORDERS, None))[:-1], None, 0)
