"""CRC-32C checksum of record batches; the native module is imported at the first call."""

from collections.abc import Callable

from mockbroker.protocol.types import Buffer


def _import_and_compute(buffer: Buffer) -> int:
    # Imported late: a start computes no checksum.
    from crc32c import crc32c as native

    globals()["crc32c"] = native
    return native(buffer)


crc32c: Callable[[Buffer], int] = _import_and_compute
"""Compute the CRC-32C (Castagnoli) of a buffer.

The first call replaces this attribute with the native function. Code on the hot path therefore
imports the module and calls `checksums.crc32c(...)` instead of binding the function.
"""
