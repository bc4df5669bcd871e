"""Appends of a producer that goes on as expected: the usual case, without the checks of the others.

Both functions do exactly what `PartitionLog.append` does, or nothing: then the caller takes that
way, which knows all cases and answers the wrong ones.
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
    """Append the next batch of a known producer, if that is all to be done.

    It goes on within its epoch, and within its transaction where it `is_transactional`. The batch's
    bytes were validated, and its own base offset is `log_end_offset`. False: there is more to do (a
    new producer or epoch, a retry, a gap, a wrap, the first batch of a transaction, a verification,
    a new segment, a later timestamp than all before), and nothing has changed.
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
