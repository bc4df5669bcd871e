"""Record batches as a producer builds them, with header fields set by the caller."""

import time
from typing import Final

from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE

_NANOSECONDS: Final = 1_000_000


def record_batch(
    *values: bytes,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    is_transactional: bool = False,
    timestamp_ms: int | None = None,
) -> bytes:
    """Build a batch with one record per value; the timestamp is the current time by default."""
    if timestamp_ms is None:
        timestamp_ms = time.time_ns() // _NANOSECONDS
    return build_batch(
        [
            Record(offset=offset, timestamp=timestamp_ms, value=value)
            for offset, value in enumerate(values)
        ],
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        is_transactional=is_transactional,
    )
