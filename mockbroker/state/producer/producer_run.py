"""Fast path for appends of a known producer that continues in sequence.

Both functions either have exactly the effect of `PartitionLog.append` or change nothing. In the
latter case the caller uses `PartitionLog.append`, which handles all cases and all errors.
"""

from mockbroker.protocol.types import Buffer
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_state_entry import MAX_SEQUENCE


def append_producer_batch(
    log: PartitionLog,
    data: Buffer,
    max_timestamp: int,
    record_count: int,
    *,
    producer_id: int,
    producer_epoch: int,
    base_sequence: int,
    is_transactional: bool = False,
    leader_epoch: int,
    now_ms: int,
) -> bool:
    """Append the next batch of a known producer.

    It continues the epoch, and the open transaction if it `is_transactional`. Its bytes were
    validated, and its own base offset is `log_end_offset`. Return False, and change nothing, for
    any other case: a new producer or epoch, a retry, a gap, a wrap, the first batch of a
    transaction, a verification, a new segment, or a timestamp later than all before.
    """
    producers = log.producers
    entry = producers.entry_in_sequence(producer_id, producer_epoch, base_sequence)
    if (
        entry is None
        or (entry.current_txn_first_offset >= 0) != is_transactional
        or base_sequence + record_count - 1 > MAX_SEQUENCE
        or not log.append_plain(
            data, max_timestamp, record_count, leader_epoch=leader_epoch, now_ms=now_ms
        )
    ):
        return False
    producers.remember(entry, log.log_end_offset - 1, record_count - 1, max_timestamp)
    return True
