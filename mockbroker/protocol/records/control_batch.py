"""Control batches: the markers that end transactions (Kafka's `EndTransactionMarker`)."""

import struct
from enum import IntEnum
from typing import Final, NamedTuple

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import NO_PARTITION_LEADER_EPOCH

_KEY: Final = struct.Struct(">hh")
_VALUE: Final = struct.Struct(">hi")
_VERSION: Final = 0


class ControlRecordType(IntEnum):
    """Type of a control record; those above COMMIT occur in KRaft's log only."""

    UNKNOWN = -1
    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6


class EndTransactionMarker(NamedTuple):
    """Result of a transaction, with the epoch of the coordinator that ended it (KIP-98)."""

    control_type: ControlRecordType
    coordinator_epoch: int


def build_end_transaction_marker(
    marker: EndTransactionMarker,
    *,
    offset: int,
    timestamp_ms: int,
    producer_id: int,
    producer_epoch: int,
    partition_leader_epoch: int = NO_PARTITION_LEADER_EPOCH,
) -> bytes:
    """Build the control batch that ends a producer's transaction in a partition."""
    assert marker.control_type in (ControlRecordType.ABORT, ControlRecordType.COMMIT), marker
    record = Record(
        offset=offset,
        timestamp=timestamp_ms,
        key=marker_key(marker.control_type),
        value=marker_value(marker.coordinator_epoch),
    )
    return build_batch(
        [record],
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        partition_leader_epoch=partition_leader_epoch,
        is_transactional=True,
        is_control=True,
    )


def marker_key(control_type: int) -> bytes:
    """Write the key of a marker's record."""
    return _KEY.pack(_VERSION, control_type)


def marker_value(coordinator_epoch: int) -> bytes:
    """Write the value of a marker's record."""
    return _VALUE.pack(_VERSION, coordinator_epoch)


def parse_control_type(key: bytes | None) -> ControlRecordType:
    """Parse the type of a control record from its key; an unknown type is UNKNOWN.

    Raises:
        DecodeError: the key is not that of a control record.

    """
    if key is None or len(key) < _KEY.size:
        raise DecodeError("key", "a control record's key must have a version and a type")
    version, number = _KEY.unpack_from(key)
    if version < 0:
        raise DecodeError("key.version", f"invalid version {version}")
    try:
        return ControlRecordType(number)
    except ValueError:
        return ControlRecordType.UNKNOWN


def parse_end_transaction_marker(record: Record) -> EndTransactionMarker:
    """Parse the marker in a control record; fields of later versions are ignored.

    Raises:
        DecodeError: the record is not an ABORT or COMMIT marker.

    """
    control_type = parse_control_type(record.key)
    if control_type not in (ControlRecordType.ABORT, ControlRecordType.COMMIT):
        raise DecodeError("key.type", f"{control_type.name} does not end a transaction")
    if record.value is None or len(record.value) < _VALUE.size:
        raise DecodeError("value", "a marker must have a version and a coordinator epoch")
    version, coordinator_epoch = _VALUE.unpack_from(record.value)
    if version < 0:
        raise DecodeError("value.version", f"invalid version {version}")
    return EndTransactionMarker(control_type, coordinator_epoch)
