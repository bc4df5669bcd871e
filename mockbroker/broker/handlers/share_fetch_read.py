"""Read and acquire the records of a ShareFetch, within its limits (KIP-932, KIP-1206)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.share_requests import share_partitions
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.batch import HEADER_BYTES
from mockbroker.protocol.types import Buffer, BufferChain
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.share.aborted_batches import AbortedTransaction, FetchedBatch
from mockbroker.state.share.acquired_records import AcquiredRecords
from mockbroker.state.share.acquisition import ShareFetchLimits, acquire
from mockbroker.state.share.share_log_record import SharePartitionKey
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.topic.topic import Partition

_LENGTH_FIELDS_BYTES: Final = 12
"""Size of the offset and length before the part of a batch that `batch_length` counts."""


class Acquirable(NamedTuple):
    """A share partition that has, or may have, records for a member."""

    key: SharePartitionKey
    partition: Partition
    share: SharePartition


class ShareRead(NamedTuple):
    """The result for one partition."""

    error_code: ErrorCode = ErrorCode.NONE
    buffers: Sequence[Buffer] = ()
    acquired: Sequence[AcquiredRecords] = ()

    @property
    def size_bytes(self) -> int:
        """Total size of the batches."""
        return sum(map(len, self.buffers))

    @property
    def records(self) -> Buffer | BufferChain:
        """The batches, which are not copied."""
        return BufferChain(list(self.buffers), self.size_bytes) if self.buffers else b""


class _Found(NamedTuple):
    batch: FetchedBatch
    data: Buffer


def available_bytes(call: Call, each: Acquirable, max_bytes: int) -> int:
    """Return how many bytes a member could read now, at most.

    Raises:
        ApiError: OFFSET_OUT_OF_RANGE.

    """
    log = call.cluster.log_of(each.partition, call.now_ms)
    offset, end_offset = each.share.next_fetch_offset(), _end_offset(each, log)
    return log.read(offset, max_bytes=max_bytes, up_to_offset=end_offset).size_bytes


def read_and_acquire(
    call: Call, each: Acquirable, limits: ShareFetchLimits, *, max_bytes: int
) -> ShareRead:
    """Acquire what a member can have of a share partition, and return the batches with it."""
    share = each.share
    manager = share_partitions(call)
    report = manager.report(each.key, share)
    log = call.cluster.log_of(each.partition, call.now_ms)
    offset, end_offset = share.next_fetch_offset(), _end_offset(each, log)
    try:
        found = log.read(offset, max_bytes=max_bytes, up_to_offset=end_offset)
    except ApiError:
        # The log has deleted the offset: the window begins where the log does now.
        share.log_start_moved(log.log_start_offset)
        if report is not None:
            report.start_moved()
        return ShareRead()
    new_offset = max(offset, share.end_offset + 1)
    batches = _parsed(call, found.buffers, new_offset, limits.records_max)
    aborted: list[AbortedTransaction] = []
    if share.settings.is_read_committed and batches:
        aborted = [
            AbortedTransaction(each.producer_id, each.first_offset)
            for each in log.aborted_transactions(offset, batches[-1].batch.last_offset + 1)
        ]
    acquired = acquire(
        share,
        limits,
        [each.batch for each in batches],
        fetch_offset=offset,
        now_ms=call.now_ms,
        aborted=aborted,
    )
    if report is not None:
        report.acquired(limits.member_id, acquired)
    manager.locks_changed(each.key)
    buffers = _with_acquired(batches, acquired)
    if len(batches) == 1 and acquired:
        # As in Kafka, only what has several batches is sliced; else a part of the next one remains.
        buffers = found.buffers
    return ShareRead(buffers=buffers, acquired=acquired)


def _end_offset(each: Acquirable, log: PartitionLog) -> int:
    is_committed = each.share.settings.is_read_committed
    return log.last_stable_offset if is_committed else log.high_watermark


def _parsed(
    call: Call, buffers: Sequence[Buffer], new_offset: int, records_max: int
) -> list[_Found]:
    """Read the headers of batches until a member can get no later record; of two at least.

    It gets records in flight, and from `new_offset`, or from where the log goes on after it, at
    most so many new ones.
    """
    records = call.cluster.records
    found: list[_Found] = []
    enough_offset: int | None = None
    for data in buffers:
        if len(data) < HEADER_BYTES:
            # The last batch is cut off, here within its header.
            break
        header = records.read_header(data)
        if len(data) < header.batch_length + _LENGTH_FIELDS_BYTES:
            break
        marker = records.read_end_txn_marker(data) if header.is_control else None
        batch = FetchedBatch(
            header.base_offset,
            header.last_offset,
            header.producer_id,
            header.is_transactional,
            is_abort_marker=marker is not None and not marker.is_commit,
        )
        found.append(_Found(batch, data))
        if enough_offset is None and header.last_offset >= new_offset:
            enough_offset = max(new_offset, header.base_offset) + records_max
        if enough_offset is not None and header.last_offset >= enough_offset and len(found) > 1:
            break
    return found


def _with_acquired(found: list[_Found], acquired: Sequence[AcquiredRecords]) -> list[Buffer]:
    """Return the batches from that of the first acquired record to that of the last one."""
    if not acquired:
        return []
    first, last = acquired[0].first_offset, acquired[-1].last_offset
    return [
        each.data
        for each in found
        if each.batch.last_offset >= first and each.batch.base_offset <= last
    ]
