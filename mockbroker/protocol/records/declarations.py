"""Fixed record layouts as construct declarations, used to decode, to dump and in tests.

The code that runs for every batch uses `struct` (`batch`, `message_set`); tests compare the two.
Importing construct is slow, so no module that serves requests imports this one.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportOperatorIssue=false
# construct has no types; these declarations are parsed into its containers

import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from construct import (
    Bytes,
    Const,
    GreedyBytes,
    If,
    Int8sb,
    Int16sb,
    Int32sb,
    Int32ub,
    Int64sb,
    Prefixed,
    Rebuild,
    Struct,
    len_,
    this,
)

from mockbroker.protocol.records.message_set import LegacyRecord

RECORD_BATCH: Final[Any] = Struct(
    "base_offset" / Int64sb,
    "batch_length" / Rebuild(Int32sb, len_(this.records) + 49),
    "partition_leader_epoch" / Int32sb,
    "magic" / Const(2, Int8sb),
    "crc" / Int32ub,
    "attributes" / Int16sb,
    "last_offset_delta" / Int32sb,
    "base_timestamp" / Int64sb,
    "max_timestamp" / Int64sb,
    "producer_id" / Int64sb,
    "producer_epoch" / Int16sb,
    "base_sequence" / Int32sb,
    "record_count" / Int32sb,
    "records" / Bytes(this.batch_length - 49),
)
"""Record batch of format 2; `records` are its (compressed) records."""


class HeaderField(NamedTuple):
    """A field of a batch's header."""

    name: str
    letter: str
    """Format character of `struct`."""

    @property
    def size_bytes(self) -> int:
        """Size of the field in bytes."""
        return struct.calcsize(">" + self.letter)

    @property
    def kind(self) -> str:
        """The kind, as Kafka's schemas name it."""
        return _KINDS[self.letter]


_KINDS: Final = {"q": "int64", "l": "int32", "L": "uint32", "h": "int16", "b": "int8"}


def batch_header_layout() -> Iterator[HeaderField]:
    """Yield the fields of a batch header, in order."""
    for declared in RECORD_BATCH.subcons:
        inner = declared
        while not hasattr(inner, "fmtstr") and hasattr(inner, "subcon"):
            inner = inner.subcon
        if hasattr(inner, "fmtstr"):
            yield HeaderField(declared.name, inner.fmtstr[-1])


NULLABLE_BYTES: Final[Any] = Struct(
    "size" / Int32sb,
    "data" / If(this.size >= 0, Bytes(this.size)),
)

LEGACY_MESSAGE: Final[Any] = Struct(
    "offset" / Int64sb,
    "message"
    / Prefixed(
        Int32sb,
        Struct(
            "crc" / Int32ub,
            "magic" / Int8sb,
            "attributes" / Int8sb,
            "timestamp" / If(this.magic == 1, Int64sb),
            "key" / NULLABLE_BYTES,
            "value" / NULLABLE_BYTES,
        ),
    ),
)
"""Message of format 0 or 1; only format 1 has the timestamp."""


def message_layout(message: LegacyRecord) -> list[tuple[str, int, str, object]]:
    """Yield the fields of a message in order: name, size in bytes, kind and value."""
    key_bytes, value_bytes = (4 + len(data or b"") for data in (message.key, message.value))
    stamp = [("timestamp", 8, "int64", message.timestamp)] if message.magic else []
    size_bytes = 6 + 8 * len(stamp) + key_bytes + value_bytes
    return [
        ("offset", 8, "int64", message.offset),
        ("message_size", 4, "int32", size_bytes),
        ("crc", 4, "uint32", f"{message.crc:#010x} (correct)"),
        ("magic", 1, "int8", message.magic),
        ("attributes", 1, "int8", message.attributes),
        *stamp,
        ("key", key_bytes, "bytes", message.key),
        ("value", value_bytes, "bytes", message.value),
    ]


CONTROL_RECORD_KEY: Final[Any] = Struct("version" / Int16sb, "type" / Int16sb)

END_TRANSACTION_MARKER_VALUE: Final[Any] = Struct(
    "version" / Int16sb,
    "coordinator_epoch" / Int32sb,
    "rest" / GreedyBytes,
)
"""Value of an ABORT or COMMIT record; `rest` are the fields of versions after 0."""
