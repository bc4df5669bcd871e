"""Recovery of producer state from a snapshot and the log.

A leader that was elected after its broker restarted, or on a replica that a reassignment created,
has not seen the producers append. It knows only a snapshot and the batches still in the log
(`UnifiedLog`'s `rebuildProducerState`). Replay checks nothing: the batches are already in the log.
"""

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Final, Literal, TypeAlias, get_args

from mockbroker.protocol.types import NO_PRODUCER_ID, BatchHeader, Buffer
from mockbroker.state.log.batch_reader import BatchReader
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_snapshot import ProducerSnapshot
from mockbroker.state.producer.producer_state_entry import ProducerStateEntry

KeptSnapshot: TypeAlias = Literal["full", "stale", "none"]
"""The producer snapshot of a restarted broker.

`full`: as of the log's end, from a controlled stop; `stale`: as of the active segment's beginning,
after a kill; `none`: lost after a controlled stop, so that the broker knows no producer at all.
"""

KEPT_SNAPSHOTS: Final[tuple[KeptSnapshot, ...]] = get_args(KeptSnapshot)

_current_txn_first_offset_of = attrgetter("current_txn_first_offset")


def take_snapshot(log: PartitionLog) -> ProducerSnapshot:
    """Return the producer snapshot that Kafka writes when it rolls a segment or stops."""
    return ProducerSnapshot(log.log_end_offset, tuple(entry.snapshot() for entry in log.producers))


def recover_producers(
    log: PartitionLog,
    records: BatchReader,
    *,
    now_ms: int,
    snapshot: ProducerSnapshot | None = None,
    older: Iterable[ProducerStateEntry] = (),
) -> None:
    """Discard all producers and transactions, and rebuild them from the log.

    Rebuilds the sequences, epochs and open transactions from the batches from the log start on, or,
    with a snapshot, from its entries that have not expired and the batches after it. A snapshot
    contains only the last batch of each producer, so retries of earlier batches are not recognised.
    The entries of `older` have batches that were deleted before the log start.
    """
    from_offset = log.log_start_offset
    log.producers.clear()
    if snapshot is None:
        log.transaction_index.truncate_to(0)
        _load(log, older, now_ms)
    else:
        from_offset = max(from_offset, snapshot.offset)
        log.transaction_index.truncate_to(snapshot.offset)
        _load(log, map(ProducerStateEntry.of_snapshot, snapshot.entries), now_ms)
    for data in _batches_from(log, from_offset):
        replay(log, records.read_header(data), data, records)
    log.producers.transactions.advance_high_watermark(log.high_watermark)


def reload_producers(log: PartitionLog, snapshot: KeptSnapshot, *, scans_log: bool = False) -> None:
    """Reduce the producers to what a restarted broker knows, which loads a snapshot and the log.

    A snapshot has the last batch of each producer. One that ends at or before the log start counts
    for nothing, so that producers without records are forgotten (`ProducerStateManager`). Without
    a snapshot, a broker `scans_log` after a kill only: after a stop it knows no producer.
    """
    start = log.log_start_offset
    ends = {"full": log.log_end_offset, "stale": log.segments.active.base_offset, "none": start}
    knows_older = ends[snapshot] > start
    gone = {
        entry.producer_id
        for entry in log.producers
        if (snapshot == "none" and not scans_log)
        or log.is_empty
        or not (knows_older or entry.is_empty or entry.last_data_offset >= start)
    }
    log.producers.forget(gone)
    for entry in log.producers:
        entry.keep_last_batch()
    log.producers.irregular.clear()
    log.producers.verifications.clear()
    log.producers.transactions.advance_high_watermark(log.high_watermark)


def forget_producers(log: PartitionLog) -> None:
    """Discard all producers and their open transactions, as if the state was lost or damaged.

    Transactions that were aborted before stay in the index.
    """
    log.producers.clear()


def forget_producer(log: PartitionLog, producer_id: int) -> bool:
    """Discard one producer and its open transaction; return whether it was known.

    This is the effect of `producer.id.expiration.ms`, even with an open transaction.
    """
    if log.producers.last_entry(producer_id) is None:
        return False
    log.producers.forget({producer_id})
    log.producers.transactions.advance_high_watermark(log.high_watermark)
    if log.observation.reporter is not None:
        log.observation.reporter.producers_expired(log.topic_partition, (producer_id,))
    return True


def _load(log: PartitionLog, entries: Iterable[ProducerStateEntry], now_ms: int) -> None:
    options = log.producers.options
    oldest_kept_ms = now_ms - options.producer_id_expiration_ms
    for entry in sorted(entries, key=_current_txn_first_offset_of):
        last_ms = entry.shifted_ms(log.timestamp_shifts)
        is_expired = last_ms <= oldest_kept_ms and entry.current_txn_first_offset < 0
        is_left = options.outlives_records or entry.last_data_offset >= log.log_start_offset
        if is_left and not is_expired:
            log.producers.load_entry(entry)


def _batches_from(log: PartitionLog, offset: int) -> Iterator[Buffer]:
    """Yield the batches that end after `offset`."""
    if offset == log.log_end_offset:
        return
    position = log.segments.position_of(offset)
    for segment in log.segments:
        for end_position, data in zip(segment.end_positions, segment.buffers, strict=True):
            if end_position > position:
                yield data


def replay(log: PartitionLog, header: BatchHeader, data: Buffer, records: BatchReader) -> None:
    """Apply a batch of the log to its producers, transactions and index, without any check."""
    if header.producer_id <= NO_PRODUCER_ID:
        return
    if not header.is_control:
        log.producers.replay(header)
        return
    if not header.record_count:
        return  # compaction removed the record and left the empty batch
    marker = records.read_end_txn_marker(data)
    if marker is None:
        return
    aborted = log.producers.end_transaction(marker, header.base_offset, header.max_timestamp)
    if aborted is not None:
        log.transaction_index.append(aborted)
