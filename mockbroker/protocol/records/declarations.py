"""Fixed record layouts as construct declarations, used to decode, to dump and in tests.

The code that runs for every batch uses `struct` (`batch`, `message_set`); tests compare the two.
Importing construct is slow, so no module that serves requests imports this one.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportOperatorIssue=false
# construct has no types; these declarations are parsed into its containers

from collections.abc import Iterator
from typing import Any, Final

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


def batch_header_layout() -> Iterator[tuple[str, str]]:
    """Yield the name and the `struct` letter of each batch header field, in order."""
    for declared in RECORD_BATCH.subcons:
        inner = declared
        while not hasattr(inner, "fmtstr") and hasattr(inner, "subcon"):
            inner = inner.subcon
        if hasattr(inner, "fmtstr"):
            yield declared.name, inner.fmtstr[-1]


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

CONTROL_RECORD_KEY: Final[Any] = Struct("version" / Int16sb, "type" / Int16sb)

END_TRANSACTION_MARKER_VALUE: Final[Any] = Struct(
    "version" / Int16sb,
    "coordinator_epoch" / Int32sb,
    "rest" / GreedyBytes,
)
"""Value of an ABORT or COMMIT record; `rest` are the fields of versions after 0."""
