"""Records of `__share_group_state`: keys of kinds 0 and 1, values of version 0.

The bytes are those of the declarations in `protocol.log_records`.
"""

from typing import Final

from mockbroker.protocol.codec import decode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.log_records import share_group_state as declared
from mockbroker.protocol.versioned import (
    VERSION_BYTES,
    read_version,
    write_key,
    write_versioned,
)
from mockbroker.state.share.share_log_record import (
    ShareGroupOffset,
    ShareLogRecord,
    SharePartitionKey,
    ShareSnapshot,
    ShareUpdate,
)
from mockbroker.state.share.state_batch import StateBatch

SNAPSHOT: Final = 0
UPDATE: Final = 1
_VERSION: Final = 0


def write_record(record: ShareLogRecord) -> tuple[bytes, bytes | None]:
    """Encode the key and the value of a record."""
    key, value = record
    batches = [] if value is None else _declared_batches(value)
    if isinstance(record, ShareUpdate):
        written = record.value
        update = declared.ShareUpdateValue(
            snapshot_epoch=written.snapshot_epoch,
            leader_epoch=written.leader_epoch,
            start_offset=written.start_offset,
            delivery_complete_count=written.delivery_complete_count,
            state_batches=batches,
        )
        return write_key(UPDATE, declared.ShareUpdateKey(**key._asdict())), write_versioned(
            update, _VERSION
        )
    key_bytes = write_key(SNAPSHOT, declared.ShareSnapshotKey(**key._asdict()))
    if value is None:
        return key_bytes, None
    snapshot = declared.ShareSnapshotValue(
        snapshot_epoch=value.snapshot_epoch,
        state_epoch=value.state_epoch,
        leader_epoch=value.leader_epoch,
        start_offset=value.start_offset,
        delivery_complete_count=value.delivery_complete_count,
        create_timestamp=value.create_timestamp_ms,
        write_timestamp=value.write_timestamp_ms,
        state_batches=batches,
    )
    return key_bytes, write_versioned(snapshot, _VERSION)


def read_record(key: bytes | None, value: bytes | None) -> ShareLogRecord | None:
    """Decode a record; return None for one of another kind.

    Raises:
        DecodeError: the record is invalid.

    """
    kind = None if key is None else read_version(key)
    if key is None or kind not in (SNAPSHOT, UPDATE):
        return None
    read_key = decode(declared.ShareSnapshotKey, _VERSION, key, VERSION_BYTES)
    partition = SharePartitionKey(read_key.group_id, read_key.topic_id, read_key.partition)
    if value is None:
        return ShareSnapshot(partition, None)
    if read_version(value) != _VERSION:
        raise DecodeError("value.version", "unknown version of a share partition's record")
    if kind == UPDATE:
        return ShareUpdate(partition, _read_update(value))
    return ShareSnapshot(partition, _read_snapshot(value))


def _read_update(value: bytes) -> ShareGroupOffset:
    read = decode(declared.ShareUpdateValue, _VERSION, value, VERSION_BYTES)
    return ShareGroupOffset(
        snapshot_epoch=read.snapshot_epoch,
        state_epoch=0,
        leader_epoch=read.leader_epoch,
        start_offset=read.start_offset,
        delivery_complete_count=read.delivery_complete_count,
        state_batches=_batches(read.state_batches),
    )


def _read_snapshot(value: bytes) -> ShareGroupOffset:
    read = decode(declared.ShareSnapshotValue, _VERSION, value, VERSION_BYTES)
    return ShareGroupOffset(
        snapshot_epoch=read.snapshot_epoch,
        state_epoch=read.state_epoch,
        leader_epoch=read.leader_epoch,
        start_offset=read.start_offset,
        delivery_complete_count=read.delivery_complete_count,
        state_batches=_batches(read.state_batches),
        create_timestamp_ms=read.create_timestamp,
        write_timestamp_ms=read.write_timestamp,
    )


def _declared_batches(value: ShareGroupOffset) -> list[declared.StateBatch]:
    return [declared.StateBatch(**batch._asdict()) for batch in value.state_batches]


def _batches(batches: list[declared.StateBatch]) -> tuple[StateBatch, ...]:
    return tuple(
        StateBatch(
            batch.first_offset, batch.last_offset, batch.delivery_state, batch.delivery_count
        )
        for batch in batches
    )
