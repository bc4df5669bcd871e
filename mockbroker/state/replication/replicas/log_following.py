"""Replication of a leader's log: truncation by leader epoch, copies of batches, and offsets.

Rules:

1. Before it copies, a replica truncates its log to where both agree, by the leader epochs (KIP-101,
   KIP-279). If the leader knows none of its epochs, it truncates to its own high watermark.
2. A replica whose log ends before the leader's log start begins anew there, and knows no producers
   (`UnifiedLog.truncateFullyAndStartAt`).
3. After a truncation a replica knows the producers of its last segment's snapshot and of the
   records since: what only the leader remembers of deleted records is lost to it.
4. A follower trusts its leader: it checks no sequence, and its producers become those of the
   batches that it copies. It keeps what it knows of other producers.
5. The leader's log start offset and high watermark arrive with a fetch. A follower's log start
   never moves back.
"""

from mockbroker.protocol.types import NO_PRODUCER_ID, Buffer
from mockbroker.state.log.batch_reader import BatchReader
from mockbroker.state.log.leader_epoch_cache import UNDEFINED_EPOCH
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.log.log_deletion import move_log_start
from mockbroker.state.log.log_truncation import restart_at, truncate_to
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_recovery import replay


def diverging_offset(log: PartitionLog, leader: PartitionLog) -> int:
    """Return the offset from which on a log differs from its leader's, or its end.

    It follows `AbstractFetcherThread.getOffsetTruncationState`.
    """
    leader_epoch = log.leader_epochs.latest_epoch
    while leader_epoch != UNDEFINED_EPOCH:
        theirs = leader.end_offset_for_epoch(leader_epoch)
        if theirs.leader_epoch == UNDEFINED_EPOCH:
            break
        own = log.end_offset_for_epoch(theirs.leader_epoch)
        if own.leader_epoch == theirs.leader_epoch:
            return min(own.end_offset, theirs.end_offset, log.log_end_offset)
        leader_epoch = own.leader_epoch
    return min(log.high_watermark, log.log_end_offset)


def follow(log: PartitionLog, leader: PartitionLog, records: BatchReader, *, now_ms: int) -> None:
    """Bring a replica's log to the end of its leader's; offsets are taken over separately."""
    end = diverging_offset(log, leader)
    truncate_to(log, end, records, reloads_producers=True, now_ms=now_ms)
    if log.log_end_offset < leader.log_start_offset:
        restart_at(log, leader.log_start_offset, now_ms=now_ms)
    for data in batches_of(leader, log.log_end_offset):
        append_as_follower(log, leader, data, records, now_ms=now_ms)
    log.assign_leader_epoch(leader.leader_epochs.latest_epoch)


def take_over_offsets(log: PartitionLog, leader: PartitionLog) -> None:
    """Take over the leader's high watermark and log start offset, as far as the log reaches."""
    log.high_watermark = min(leader.high_watermark, log.log_end_offset)
    log.producers.transactions.advance_high_watermark(log.high_watermark)
    if leader.log_start_offset > log.log_start_offset:
        move_log_start(log, leader.log_start_offset)


def append_as_follower(
    log: PartitionLog, leader: PartitionLog, data: Buffer, records: BatchReader, *, now_ms: int
) -> None:
    """Append a batch of the leader's log at its offset (`UnifiedLog.appendAsFollower`)."""
    header = records.read_header(data)
    last_offset = header.base_offset + header.last_offset_delta
    if last_offset < log.log_end_offset:
        return
    copied = records.read_header(data)
    copied.producer_id = NO_PRODUCER_ID
    # Compaction leaves gaps between batches: each counts from the end of the one before it.
    copied.last_offset_delta = last_offset - log.log_end_offset
    shift_ms = leader.timestamp_shifts.at(header.base_offset)
    log.append_checked(copied, data, header.partition_leader_epoch, now_ms, shift_ms)
    replay(log, header, data, records)
