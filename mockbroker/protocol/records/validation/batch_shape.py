"""Check that bytes are one whole batch (Kafka's `ByteBufferLogInputStream`, `ProduceRequest`)."""

import struct
from typing import Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.records.batch import (
    HEADER_BYTES,
    LEAST_LENGTH,
    LENGTH_AT,
    LOG_OVERHEAD_BYTES,
    MAGIC_AT,
    MAGIC_V2,
)
from mockbroker.protocol.records.validation.batch_rules import ReleaseRules
from mockbroker.protocol.records.validation.refusal import RecordsRefused, Scope
from mockbroker.protocol.types import Buffer, Compression

_LENGTH: Final = struct.Struct(">i")
_UP_TO_MAGIC_BYTES: Final = MAGIC_AT + 1
_UP_TO_PRODUCER_ID_BYTES: Final = 51
_CODEC_AT: Final = 22
_CODEC: Final = 0x07


def shape_refusal(
    buffer: Buffer, start: int, end: int, release: ReleaseRules, *, allows_zstd: bool = True
) -> RecordsRefused | None:
    """Return the reason why `buffer[start:end]` is not one batch of format 2, or None if it is.

    Trailing bytes that are too few for another batch are ignored: Kafka cuts them off. Without
    `allows_zstd` (below Produce v7) the codec is checked here and must be a known one.
    """
    fault, size_bytes = next_batch(buffer, start, end)
    if fault:
        scope = release.malformed_scope
        return _refused(ErrorCode.CORRUPT_MESSAGE, fault, scope, is_in_response=True)
    if size_bytes == 0:
        scope = release.malformed_scope
        if scope is Scope.REQUEST:
            scope = Scope.PARTITION
        return _refused(ErrorCode.INVALID_RECORD, f"{end - start} bytes hold no batch", scope)
    if release.malformed_scope is Scope.CONNECTION and buffer[start + MAGIC_AT] == MAGIC_V2:
        refusal = refused_inside_header(size_bytes, release)
        if refusal is not None and refusal.scope is Scope.CONNECTION:
            return refusal
    if buffer[start + MAGIC_AT] != MAGIC_V2:
        why = f"records of format {buffer[start + MAGIC_AT]} in a request that carries format 2"
        return _refused(ErrorCode.INVALID_RECORD, why, release.foreign_scope)
    refusal = None if allows_zstd else _refused_for_codec(buffer[start + _CODEC_AT], release)
    if refusal is not None:
        return refusal
    fault, next_bytes = next_batch(buffer, start + size_bytes, end)
    if fault:
        return _refused(ErrorCode.CORRUPT_MESSAGE, fault, Scope.PARTITION)
    if next_bytes:
        return _refused(ErrorCode.INVALID_RECORD, "more than one batch", release.foreign_scope)
    return refused_inside_header(size_bytes, release)


def _refused_for_codec(attributes: int, release: ReleaseRules) -> RecordsRefused | None:
    """Reject zstd before its version (KIP-110), and the whole request for an unknown codec."""
    codec = attributes & _CODEC
    if release.newest_codec < Compression.ZSTD:
        return None
    if codec == Compression.ZSTD:
        return zstd_refused()
    if codec > Compression.ZSTD:
        why = f"unknown codec {codec}"
        return _refused(ErrorCode.UNKNOWN_SERVER_ERROR, why, Scope.REQUEST)
    return None


def zstd_refused() -> RecordsRefused:
    """Return the error for a zstd batch in a version of Produce without zstd."""
    why = "Produce before v7 does not support zstd"
    return _refused(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, why, Scope.PARTITION)


def refused_inside_header(size_bytes: int, release: ReleaseRules) -> RecordsRefused | None:
    """Reject a truncated header; the scope is larger if the producer id is cut off."""
    why = f"a batch of {size_bytes} bytes ends inside its header"
    if size_bytes < _UP_TO_PRODUCER_ID_BYTES:
        return _refused(ErrorCode.UNKNOWN_SERVER_ERROR, why, release.malformed_scope)
    if size_bytes < HEADER_BYTES:
        return _refused(ErrorCode.CORRUPT_MESSAGE, why, Scope.PARTITION)
    return None


def next_batch(buffer: Buffer, start: int, end: int) -> tuple[str, int]:
    """Return (reason why no batch begins at `start`, its size or 0 if incomplete)."""
    left_bytes = end - start
    if left_bytes < LOG_OVERHEAD_BYTES:
        return "", 0
    (length,) = _LENGTH.unpack_from(buffer, start + LENGTH_AT)
    if length < LEAST_LENGTH:
        return f"Record size {length} is less than the minimum record overhead ({LEAST_LENGTH})", 0
    if left_bytes < _UP_TO_MAGIC_BYTES:
        return "", 0
    magic = buffer[start + MAGIC_AT]
    if magic > MAGIC_V2:
        signed = magic - 256 if magic > 127 else magic
        return f"Invalid magic found in record: {signed}", 0
    size_bytes = length + LOG_OVERHEAD_BYTES
    return "", size_bytes if size_bytes <= left_bytes else 0


def _refused(
    code: ErrorCode, why: str, scope: Scope, *, is_in_response: bool = False
) -> RecordsRefused:
    return RecordsRefused(
        code,
        why,
        error_message=why if is_in_response else None,
        knows_log_start_offset=False,
        scope=scope,
    )
