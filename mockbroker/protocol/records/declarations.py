"""The fixed layouts of records as construct declarations: to read, to dump, and to test against.

The code that runs for every batch uses plain structs (`batch`, `message_set`); tests hold the two
against each other. Importing construct is slow, so nothing that serves a request imports this.
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
"""A record batch of format 2; `records` are its (compressed) records."""


def batch_header_layout() -> Iterator[tuple[str, str]]:
    """Give the fields of a batch's header in their order: the name, and the letter of `struct`."""
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
"""A message of the formats 0 and 1; the timestamp is of format 1."""

CONTROL_RECORD_KEY: Final[Any] = Struct("version" / Int16sb, "type" / Int16sb)

END_TRANSACTION_MARKER_VALUE: Final[Any] = Struct(
    "version" / Int16sb,
    "coordinator_epoch" / Int32sb,
    "rest" / GreedyBytes,
)
"""The value of an ABORT or COMMIT record; `rest` is what versions after 0 add."""
