"""Log compaction: keep the last record of each key, as Kafka's `LogCleaner` does.

A round cleans everything that is committed and decided at once. It starts a new segment first,
because the active segment is never cleaned.

1. A record is removed if a later one has its key, if it belongs to an aborted transaction, or if
   it is a tombstone whose time (`delete.retention.ms` from the first round that met it) is over.
2. A marker is removed if nothing of its transaction is left and that time is over.
3. The last batch of a producer that is still known is kept, empty if need be, for its sequence; so
   is the last batch of the round. Offsets and sequences of kept records do not change (KIP-98).
4. The time at which a tombstone or a marker may be removed is stored in its batch (KIP-534).
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from mockbroker.protocol.records.batch import parse_batch_header, records_of, seal
from mockbroker.protocol.records.compression.codecs import compress
from mockbroker.protocol.records.control_batch import parse_control_type
from mockbroker.protocol.records.record import Record, encode_record
from mockbroker.protocol.types import (
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    BatchHeader,
    Buffer,
    TimestampType,
)
from mockbroker.state.log.log_segments import KeptBatch
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.end_txn_marker import ABORT_MARKER_TYPE, COMMIT_MARKER_TYPE
from mockbroker.state.producer.transaction_index import AbortedTxn

_DELETE_HORIZON: Final = 0x40
"""Attribute of a batch whose base timestamp is its tombstones' removal time (KIP-534)."""


def clean(log: PartitionLog, *, delete_retention_ms: int, now_ms: int) -> int:
    """Compact a log, and return the number of removed records, including markers."""
    log.segments.begin_active(log.log_end_offset, now_ms)
    round_ = _Round(log, now_ms, now_ms + delete_retention_ms)
    kept = list(round_.kept())
    log.transaction_index.replace(round_.aborted_kept)
    log.segments.replace_older(kept)
    return round_.removed


class _Transactions:
    """Aborted transactions of the batches, and the markers without any batch left."""

    def __init__(self, aborted: Sequence[AbortedTxn]) -> None:
        self._aborted = aborted
        self._seen: set[tuple[int, int]] = set()
        self._committed: set[int] = set()

    def abort_of(self, header: BatchHeader) -> AbortedTxn | None:
        """Return the aborted transaction that a batch or marker belongs to."""
        if not header.is_transactional:
            return None
        return next(
            (
                each
                for each in self._aborted
                if each.producer_id == header.producer_id
                and each.first_offset <= header.base_offset <= each.last_offset
            ),
            None,
        )

    def is_aborted(self, header: BatchHeader) -> bool:
        """Record a batch, and return True if it belongs to an aborted transaction."""
        if not header.is_transactional:
            return False
        aborted = self.abort_of(header)
        if aborted is None:
            self._committed.add(header.producer_id)
            return False
        self._seen.add((aborted.producer_id, aborted.first_offset))
        return True

    def is_empty(self, header: BatchHeader, control_type: int | None) -> bool:
        """Return True if nothing is left of the transaction that a marker ends."""
        if control_type == ABORT_MARKER_TYPE:
            aborted = self.abort_of(header)
            return aborted is None or not self.was_seen(aborted)
        if control_type == COMMIT_MARKER_TYPE:
            was_seen = header.producer_id in self._committed
            self._committed.discard(header.producer_id)
            return not was_seen
        return control_type is None

    def was_seen(self, aborted: AbortedTxn) -> bool:
        """Return True if a batch of an aborted transaction was recorded."""
        return (aborted.producer_id, aborted.first_offset) in self._seen


class _Kept(NamedTuple):
    """Part of a batch that is kept."""

    records: list[Record]
    must_stay: bool
    horizon_ms: int | None
    """Removal time of its tombstones or marker, if it has to be written now."""


class _Round:
    """One compaction round over one log."""

    def __init__(self, log: PartitionLog, now_ms: int, horizon_ms: int) -> None:
        self._now_ms = now_ms
        self._horizon_ms = horizon_ms
        self._bound = min(log.last_stable_offset, log.high_watermark)
        self._batches = [
            (parse_batch_header(data), data) for data in log.segments.batches_before_active()
        ]
        self._aborted = list(log.transaction_index)
        self._last_of_producers = {
            entry.producer_id: (entry.last_data_offset, entry.producer_epoch)
            for entry in log.producers
        }
        self._latest = self._latest_offsets()
        self._last_offset = max(
            (
                header.base_offset + header.last_offset_delta
                for header, _ in self._batches
                if self._is_cleaned(header)
            ),
            default=-1,
        )
        self.removed = 0
        self.aborted_kept: list[AbortedTxn] = []

    def _is_cleaned(self, header: BatchHeader) -> bool:
        return header.base_offset + header.last_offset_delta < self._bound

    def _latest_offsets(self) -> dict[bytes, int]:
        transactions = _Transactions(self._aborted)
        counted = [
            data
            for header, data in self._batches
            if self._is_cleaned(header)
            and not header.is_control
            and not transactions.is_aborted(header)
        ]
        return {
            bytes(record.key): record.offset
            for data in counted
            for record in records_of(data)
            if record.key is not None
        }

    def kept(self) -> Iterator[KeptBatch]:
        """Yield the batches that are kept, each with its largest timestamp."""
        transactions = _Transactions(self._aborted)
        for header, data in self._batches:
            if not self._is_cleaned(header):
                yield KeptBatch(
                    header.base_offset + header.last_offset_delta, header.max_timestamp, data
                )
                continue
            written = self._cleaned(header, data, transactions)
            if written is not None:
                now = parse_batch_header(written)
                yield KeptBatch(now.base_offset + now.last_offset_delta, now.max_timestamp, written)
        self.aborted_kept = [
            each
            for each in self._aborted
            if each.last_offset >= self._bound or transactions.was_seen(each)
        ]

    def _cleaned(
        self, header: BatchHeader, data: Buffer, transactions: _Transactions
    ) -> Buffer | None:
        records = list(records_of(data))
        if header.is_control:
            kept = self._marker(header, records, transactions)
        else:
            kept = self._data(header, records, transactions)
        self.removed += len(records) - len(kept.records)
        if not kept.records:
            return _emptied(header) if kept.must_stay else None
        if len(kept.records) == len(records) and kept.horizon_ms is None:
            return data
        return _rewritten(header, kept)

    def _marker(
        self, header: BatchHeader, records: list[Record], transactions: _Transactions
    ) -> _Kept:
        control_type = parse_control_type(records[0].key) if records else None
        is_empty = transactions.is_empty(header, control_type)
        horizon_ms = _horizon_of(header)
        goes = is_empty and horizon_ms is not None and horizon_ms <= self._now_ms
        to_write = self._horizon_ms if is_empty and horizon_ms is None else None
        return _Kept([] if goes else records, self._must_stay(header), to_write)

    def _data(
        self, header: BatchHeader, records: list[Record], transactions: _Transactions
    ) -> _Kept:
        if transactions.is_aborted(header):
            return _Kept([], self._must_stay(header), None)
        horizon_ms = _horizon_of(header)
        keeps_tombstones = horizon_ms is None or self._now_ms < horizon_ms
        kept = [
            record
            for record in records
            if record.key is not None
            and self._latest[bytes(record.key)] <= record.offset
            and (record.value is not None or keeps_tombstones)
        ]
        has_tombstones = any(record.value is None for record in kept)
        to_write = self._horizon_ms if has_tombstones and horizon_ms is None else None
        return _Kept(kept, self._must_stay(header), to_write)

    def _must_stay(self, header: BatchHeader) -> bool:
        last_offset = header.base_offset + header.last_offset_delta
        if last_offset == self._last_offset:
            return True
        if header.producer_id <= NO_PRODUCER_ID:
            return False
        last_data_offset, producer_epoch = self._last_of_producers.get(
            header.producer_id, (None, -1)
        )
        if last_data_offset is None:
            return False
        if last_data_offset >= 0:
            return last_offset == last_data_offset
        return header.is_control and header.producer_epoch == producer_epoch


def _horizon_of(header: BatchHeader) -> int | None:
    return header.base_timestamp if header.attributes & _DELETE_HORIZON else None


def _emptied(header: BatchHeader) -> Buffer:
    """Build a batch without records, which keeps the offsets and the sequence."""
    header.attributes &= ~(_DELETE_HORIZON | 0x07)
    header.base_timestamp = NO_TIMESTAMP
    header.record_count = 0
    return seal(header, b"")


def _rewritten(header: BatchHeader, kept: _Kept) -> Buffer:
    """Build a batch with fewer records, or with the removal time of its tombstones."""
    if kept.horizon_ms is not None:
        header.attributes |= _DELETE_HORIZON
        header.base_timestamp = kept.horizon_ms
    elif not header.attributes & _DELETE_HORIZON:
        header.base_timestamp = kept.records[0].timestamp
    if header.timestamp_type is TimestampType.CREATE_TIME:
        header.max_timestamp = max(record.timestamp for record in kept.records)
    header.record_count = len(kept.records)
    plain = b"".join(
        encode_record(record, header.base_offset, header.base_timestamp) for record in kept.records
    )
    return seal(header, compress(header.compression, plain))
