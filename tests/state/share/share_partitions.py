"""Share partitions as the tests build them."""

from mockbroker.state.share.aborted_batches import AbortedTransaction, FetchedBatch
from mockbroker.state.share.acknowledgement import AcknowledgementBatch, acknowledge
from mockbroker.state.share.acquired_records import AcquiredRecords
from mockbroker.state.share.acquisition import ShareFetchLimits, acquire
from mockbroker.state.share.record_state import ShareAcquireMode
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.state_batch import StateBatch

MEMBER = "m"


def fetched(*ranges: tuple[int, int]) -> list[FetchedBatch]:
    return [FetchedBatch(first, last) for first, last in ranges]


def take(
    partition: SharePartition,
    *ranges: tuple[int, int],
    at: int | None = None,
    member: str = MEMBER,
    records_max: int = 500,
    batch_size: int = 500,
    mode: ShareAcquireMode = ShareAcquireMode.BATCH_OPTIMIZED,
    batches: list[FetchedBatch] | None = None,
    aborted: list[AbortedTransaction] | None = None,
    now_ms: int = 0,
) -> list[AcquiredRecords]:
    """Acquire from a log with these batches; return the acquired ranges."""
    return acquire(
        partition,
        ShareFetchLimits(member, records_max, batch_size, mode),
        batches or fetched(*ranges),
        fetch_offset=partition.next_fetch_offset() if at is None else at,
        now_ms=now_ms,
        aborted=aborted or [],
    )


def report(
    partition: SharePartition,
    first: int,
    last: int,
    *types: int,
    member: str = MEMBER,
    now_ms: int = 0,
    is_written: bool = True,
) -> list[StateBatch]:
    """Acknowledge a range and complete the change; return the batches that are written."""
    change = acknowledge(partition, member, [AcknowledgementBatch(first, last, types)], now_ms)
    partition.complete(change, is_written=is_written)
    return list(change.batches)


def expire(partition: SharePartition, now_ms: int) -> list[StateBatch]:
    """Let locks expire; return the batches that are written."""
    written: list[StateBatch] = []
    for change in partition.expire_locks(now_ms):
        written += change.batches
        partition.complete(change, is_written=True)
    return written
