"""Iteration over the batches of a log, across segments."""

from collections.abc import Iterator
from typing import Final

from mockbroker.protocol.types import Buffer
from mockbroker.state.log.partition_log import PartitionLog

_ALL_BYTES: Final = 1 << 62


def batches_of(
    log: PartitionLog, start_offset: int | None = None, end_offset: int | None = None
) -> Iterator[Buffer]:
    """Yield the batches of a log in order, across segments.

    The first batch is the one that contains `start_offset` (default: the log start offset), the
    last is the last one that begins before `end_offset` (default: the log end offset).
    """
    offset = max(log.log_start_offset, start_offset or 0)
    end = log.log_end_offset if end_offset is None else end_offset
    while offset < end:
        found = log.read(offset, max_bytes=_ALL_BYTES, up_to_offset=end)
        yield from found.buffers
        assert found.next_offset > offset, (found, offset)
        offset = found.next_offset
