"""Encoder and decoder of the records that consumer and share groups are made of."""

from collections.abc import Mapping
from typing import Final

from mockbroker.broker.internal_records.consumer_group_record import (
    CONSUMER_RECORD_TYPES,
    RecordType,
)
from mockbroker.broker.internal_records.share_group_record import SHARE_RECORD_TYPES
from mockbroker.protocol.codec import decode
from mockbroker.protocol.types import Buffer
from mockbroker.protocol.versioned import VERSION_BYTES, write_key, write_versioned
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.modern.modern_records import ModernRecord

_VERSION: Final = 0

_TABLES: Final[Mapping[GroupKind, Mapping[int, RecordType]]] = {
    GroupKind.CONSUMER: CONSUMER_RECORD_TYPES,
    GroupKind.SHARE: SHARE_RECORD_TYPES,
}
_KINDS: Final = {number: kind for kind, table in _TABLES.items() for number in table}
_NUMBERS: Final = {
    (kind, each.record): number for kind, table in _TABLES.items() for number, each in table.items()
}


def is_modern_record(number: int) -> bool:
    """Return whether a number in a key is that of a consumer or share group's record."""
    return number in _KINDS


def write_modern_key(record: ModernRecord) -> bytes:
    """Encode the key of a record."""
    number = _NUMBERS[record.kind, type(record)]
    key = _TABLES[record.kind][number].key
    fields = dict(zip(key.FIELDS, record[1:-1], strict=True))
    return write_key(number, key(**fields))


def write_modern_value(record: ModernRecord) -> bytes:
    """Encode the value of a record."""
    kind = _TABLES[record.kind][_NUMBERS[record.kind, type(record)]]
    return write_versioned(kind.to_declared(record.value), _VERSION)


def read_modern_record(number: int, key: Buffer, value: Buffer | None) -> ModernRecord:
    """Decode a record.

    Raises:
        DecodeError: the key or the value is invalid.

    """
    kind = _KINDS[number]
    of_kind = _TABLES[kind][number]
    about = decode(of_kind.key, _VERSION, key, VERSION_BYTES)
    fields = [getattr(about, name) for name in of_kind.key.FIELDS]
    read = None
    if value is not None:
        read = of_kind.from_declared(decode(of_kind.value, _VERSION, value, VERSION_BYTES))
    return of_kind.record(kind, *fields, read)
