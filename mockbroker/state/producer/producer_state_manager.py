"""The producers of one partition: sequence checks, retries, open transactions, and expiry.

Invariants:

1. The order is check, append to the log, update: `check` changes nothing, and `update` cannot fail.
   A failure in between (memory full, a fault) leaves the producers as they were.
2. State belongs to the partition, not to the records: it outlives DeleteRecords and retention, and
   a retry of a deleted batch is still answered with its old offset (KIP-360). Only expiry removes
   it. Before KIP-360, state was removed with the producer's last batch (`outlives_records`).
3. A producer expires by the timestamps of its batches, which are the client's own, as in Kafka, and
   not while it has an open transaction. Shifts correct for jumps of the state's clock.
4. The first batch of a transaction must be verified if verification is on; later batches only need
   the transaction to be still open (KIP-890).
"""

from collections import deque
from collections.abc import Collection, Iterator

from mockbroker.protocol.types import NO_TIMESTAMP, TRANSACTIONAL, BatchHeader
from mockbroker.state.log.timestamp_shifts import TimestampShifts
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.ongoing_transactions import OngoingTransactions
from mockbroker.state.producer.producer_append_info import ProducerAppendInfo
from mockbroker.state.producer.producer_state_entry import (
    BATCH_BYTES,
    MAX_SEQUENCE,
    NO_OFFSET,
    BatchMetadata,
    ProducerStateEntry,
    pack_batch,
)
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.producer.transaction_index import AbortedTxn
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.producer.verification_states import VerificationStates


class ProducerStateManager:
    """The producers of a partition by producer id (Kafka's `ProducerStateManager`)."""

    __slots__ = (
        "_counts_offsets_by_sequence",
        "_entries",
        "_options",
        "_retained_bytes",
        "_shifts",
        "_to_check",
        "_verifying",
        "irregular",
        "transactions",
        "verifications",
    )

    def __init__(
        self, options: ProducerStateOptions, shifts: TimestampShifts | None = None
    ) -> None:
        """Start without producers; `shifts` are the shifts of the log's timestamps."""
        self.options = options
        self._shifts = TimestampShifts() if shifts is None else shifts
        self._entries: dict[int, ProducerStateEntry] = {}
        self._to_check: deque[int] = deque()
        self.irregular: set[int] = set()
        """Producers whose remembered batches have gaps: the next one may repeat one of them."""
        self.verifications = VerificationStates()
        """The transactions whose first batch is being verified."""
        self._verifying = self.verifications.by_producer_id
        self.transactions = OngoingTransactions()
        """The transactions that hold back the last stable offset."""

    @property
    def options(self) -> ProducerStateOptions:
        """The options for handling producers; may be replaced at any time."""
        return self._options

    @options.setter
    def options(self, options: ProducerStateOptions) -> None:
        self._options = options
        self._retained_bytes = options.batches_retained * BATCH_BYTES
        self._counts_offsets_by_sequence = options.counts_offsets_by_sequence

    def __len__(self) -> int:
        """Count the producers."""
        return len(self._entries)

    def __iter__(self) -> Iterator[ProducerStateEntry]:
        """Yield the producers' entries, in the order in which they first appended."""
        return iter(self._entries.values())

    @property
    def round_size(self) -> int:
        """The number of checks in one expiry round: the larger of producers and verifications."""
        return max(len(self._entries), len(self.verifications))

    def last_entry(self, producer_id: int) -> ProducerStateEntry | None:
        """Return the entry of a producer, or None."""
        return self._entries.get(producer_id)

    # Batches.

    def check(
        self,
        header: BatchHeader,
        verification_guard: VerificationGuard | None = None,
        *,
        is_from_client: bool = True,
    ) -> ProducerStateEntry | BatchMetadata:
        """Check a batch of a producer that has an id, and change nothing.

        Return the entry to give to `update` once the batch is appended, or, for a retry of one of
        the last five batches, the metadata of that batch.

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER, UNKNOWN_PRODUCER_ID,
                DUPLICATE_SEQUENCE_NUMBER, INVALID_TXN_STATE.

        """
        entry = self._entries.get(header.producer_id)
        if (
            entry is not None
            and header.base_sequence == entry.last_sequence + 1
            and header.producer_epoch == entry.producer_epoch
            and (header.attributes & TRANSACTIONAL != 0) == (entry.current_txn_first_offset >= 0)
            and (not self._verifying or header.producer_id not in self._verifying)
            and (not self.irregular or header.producer_id not in self.irregular)
        ):
            # In sequence without a wrap. It cannot repeat one of five consecutive batches either:
            # together they would have to contain all 2^31 sequences.
            return entry
        return self._check_in_full(entry, header, verification_guard, is_from_client=is_from_client)

    def update(self, entry: ProducerStateEntry, header: BatchHeader, base_offset: int) -> None:
        """Record a batch, appended at `base_offset`, for which `check` returned `entry`."""
        if not entry.packed_batches:  # new, or of a new epoch
            self._put(entry)
        base_sequence, offset_delta = header.base_sequence, header.last_offset_delta
        last_offset = base_offset + offset_delta
        if self._counts_offsets_by_sequence and base_sequence >= 0:
            offset_delta = header.last_sequence - base_sequence
        entry.add_batch(
            base_sequence, last_offset, offset_delta, header.max_timestamp, self._retained_bytes
        )
        if header.attributes & TRANSACTIONAL:
            if entry.current_txn_first_offset < 0:
                entry.current_txn_first_offset = base_offset
                self.transactions.start(entry.producer_id, base_offset)
            self.verifications.end_by_data(entry.producer_id)

    def take_next(
        self,
        producer_id: int,
        producer_epoch: int,
        base_sequence: int,
        *,
        is_transactional: bool,
        record_count: int,
        last_offset: int,
        timestamp_ms: int,
    ) -> bool:
        """Apply the next batch of a known producer, or change nothing and return False.

        It does the work of `check` and `update` without their calls, which take longer than the
        rest. The batch has to continue within its epoch and, if it `is_transactional`, within its
        transaction.
        """
        last_sequence = base_sequence + record_count - 1
        entry = self.find_next(
            producer_id, producer_epoch, base_sequence, last_sequence,
            is_transactional=is_transactional,
        )  # fmt: skip
        if entry is None:
            return False
        entry.last_sequence = last_sequence
        entry.last_timestamp_ms = timestamp_ms
        batch = pack_batch(last_sequence, last_offset, record_count - 1, timestamp_ms)
        entry.packed_batches = (entry.packed_batches + batch)[-self._retained_bytes :]
        return True

    def find_next(
        self,
        producer_id: int,
        producer_epoch: int,
        base_sequence: int,
        last_sequence: int,
        *,
        is_transactional: bool,
    ) -> ProducerStateEntry | None:
        """Return the state of the producer whose next batch `take_next` would apply, or None."""
        entry = self._entries.get(producer_id)
        if (
            entry is None
            or base_sequence != entry.last_sequence + 1
            or producer_epoch != entry.producer_epoch
            or (entry.current_txn_first_offset >= 0) != is_transactional
            or last_sequence > MAX_SEQUENCE
            or (self._verifying and producer_id in self._verifying)
            or (self.irregular and producer_id in self.irregular)
        ):
            return None
        return entry

    # Markers.

    def check_end_txn_marker(self, marker: EndTxnMarker, transaction_version: int) -> None:
        """Check a marker, and change nothing.

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED.

        """
        entry = self._entries.get(marker.producer_id)
        append_info = ProducerAppendInfo(marker.producer_id, entry, self._options)
        append_info.check_end_txn_marker(marker, transaction_version)

    def end_transaction(
        self, marker: EndTxnMarker, offset: int, timestamp_ms: int
    ) -> AbortedTxn | None:
        """Apply a marker appended at `offset`; return the transaction that it aborted, or None."""
        producer_id = marker.producer_id
        self.verifications.end_by_marker(producer_id, marker.producer_epoch)
        entry = self._entries.get(producer_id)
        if entry is None:
            entry = ProducerStateEntry(producer_id)
            self._put(entry)
        first_offset = entry.current_txn_first_offset
        self._update_by_marker(entry, marker, offset, timestamp_ms)
        if first_offset == NO_OFFSET:
            if not self._options.completes_empty_transactions:
                return None
            first_offset = offset
        last_stable_offset = self.transactions.last_stable_offset_after(producer_id, offset)
        self.transactions.complete(first_offset, offset)
        if marker.is_commit:
            return None
        return AbortedTxn(producer_id, first_offset, offset, last_stable_offset)

    def has_ongoing_transaction(self, producer_id: int, producer_epoch: int) -> bool:
        """Return whether a producer has an open transaction, in this epoch."""
        entry = self._entries.get(producer_id)
        return (
            entry is not None
            and entry.current_txn_first_offset >= 0
            and (
                entry.producer_epoch == producer_epoch or not self._options.verifies_producer_epoch
            )
        )

    # Verification.

    def maybe_start_verification(
        self,
        producer_id: int,
        base_sequence: int,
        producer_epoch: int,
        *,
        supports_epoch_bump: bool,
        now_ms: int,
    ) -> VerificationGuard | None:
        """Return the guard for a transaction's first batch, or None if it is already open.

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH.

        """
        entry = self._entries.get(producer_id)
        if entry is not None and self._options.verifies_producer_epoch:
            append_info = ProducerAppendInfo(producer_id, entry, self._options)
            append_info.check_producer_epoch(producer_epoch)
        if self.has_ongoing_transaction(producer_id, producer_epoch):
            return None
        return self.verifications.start(
            producer_id,
            base_sequence,
            producer_epoch,
            supports_epoch_bump=supports_epoch_bump,
            now_ms=now_ms,
        )

    # Recovery.

    def replay(self, header: BatchHeader) -> None:
        """Record a batch that is already in the log, without any check."""
        producer_id = header.producer_id
        entry = self._entries.get(producer_id)
        updated = ProducerAppendInfo(producer_id, entry, self._options).updated_entry(header)
        if updated.packed_batches and header.base_sequence != updated.last_sequence + 1:
            self.irregular.add(producer_id)
        self.update(updated, header, header.base_offset)

    def load_entry(self, entry: ProducerStateEntry) -> None:
        """Add an entry loaded from a snapshot; call it in the order of their transactions."""
        self._put(entry)
        if entry.current_txn_first_offset >= 0:
            self.transactions.start(entry.producer_id, entry.current_txn_first_offset)

    # Expiry and removal.

    def remove_expired_producers(self, now_ms: int, at_most: int | None = None) -> list[int]:
        """Remove producers whose last batch is `producer.id.expiration.ms` old; return their ids.

        With `at_most`, check only that many, the least recently checked first: checking a million
        at once would block the event loop. (`ProducerExpiration` continues.)
        """
        oldest_kept_ms = now_ms - self._options.producer_id_expiration_ms
        entries, to_check = self._entries, self._to_check
        is_shifted = self._shifts.are_any
        expired: list[int] = []
        count = len(to_check) if at_most is None else min(at_most, len(to_check))
        for _ in range(count):
            producer_id = to_check.popleft()
            entry = entries[producer_id]
            last_ms = entry.shifted_ms(self._shifts) if is_shifted else entry.last_timestamp_ms
            if last_ms <= oldest_kept_ms and entry.current_txn_first_offset < 0:
                del entries[producer_id]
                expired.append(producer_id)
            else:
                to_check.append(producer_id)
        return expired

    def remove_expired_verifications(self, now_ms: int, at_most: int | None = None) -> None:
        """Remove verifications that began `producer.id.expiration.ms` ago and never ended."""
        oldest_kept_ms = now_ms - self._options.producer_id_expiration_ms
        self.verifications.remove_older(oldest_kept_ms, at_most)

    def advance_log_start(self, log_start_offset: int) -> None:
        """Remove producers without records left, unless state `outlives_records`."""
        if self._options.outlives_records:
            return
        entries = self._entries.items()
        self.forget({each for each, entry in entries if entry.last_data_offset < log_start_offset})

    def forget(self, evicted: Collection[int]) -> None:
        """Remove known producers and their open transactions."""
        for producer_id in evicted:
            # An append in progress may use this entry, and remove it to make room: reset it.
            self._entries.pop(producer_id).forget_records()
        if evicted:
            self._to_check = deque(self._entries)
            self.transactions.forget_producers(evicted)

    def clear(self) -> None:
        """Remove everything, open transactions included."""
        self._entries.clear()
        self._to_check.clear()
        self.irregular.clear()
        self.verifications.clear()
        self.transactions.clear()

    def as_text(self) -> list[str]:
        """Return all producers and verifications as text in a stable form."""
        entries = [repr(entry) for entry in self._entries.values()]
        return entries + self.verifications.as_text()

    def _put(self, entry: ProducerStateEntry) -> None:
        producer_id = entry.producer_id
        if producer_id not in self._entries:
            self._to_check.append(producer_id)
        self._entries[producer_id] = entry

    def _check_in_full(
        self,
        entry: ProducerStateEntry | None,
        header: BatchHeader,
        verification_guard: VerificationGuard | None,
        *,
        is_from_client: bool,
    ) -> ProducerStateEntry | BatchMetadata:
        if entry is not None and is_from_client:
            duplicate = entry.find_duplicate_batch(
                header.producer_epoch, header.base_sequence, header.last_sequence
            )
            if duplicate is not None:
                return duplicate
        verification = self._verifying.get(header.producer_id)
        append_info = ProducerAppendInfo(header.producer_id, entry, self._options, verification)
        if header.is_transactional and not self.has_ongoing_transaction(
            header.producer_id, header.producer_epoch
        ):
            if entry is not None and self._options.verifies_producer_epoch:
                append_info.check_producer_epoch(header.producer_epoch)
            if is_from_client or self._options.verifies_offsets:
                append_info.check_verified(verification_guard)
        append_info.check_data_batch(header, is_from_client=is_from_client)
        if header.producer_epoch < 0:  # then any sequence is accepted
            self.irregular.add(header.producer_id)
        return append_info.updated_entry(header)

    def _update_by_marker(
        self, entry: ProducerStateEntry, marker: EndTxnMarker, offset: int, timestamp_ms: int
    ) -> None:
        entry.end_transaction(marker.producer_epoch, marker.coordinator_epoch, timestamp_ms)
        if self._options.marker_is_last_batch:
            entry.replace_last_batch(BatchMetadata(entry.last_sequence, offset, 0, timestamp_ms))
        elif not self._options.marker_counts_as_activity:
            last_batch = entry.last_batch
            entry.last_timestamp_ms = last_batch.timestamp_ms if last_batch else NO_TIMESTAMP
