"""The simplest model of a partition's producers and transactions.

Lists are searched from end to end, nothing is cached that can be computed, and no code
of mockbroker is used except the error codes. The sources are the recorded answers of real
brokers and the KIPs (98, 360, 890); where `Generation` says so, older releases'.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from mockbroker.protocol.errors import ErrorCode
from tests.model.generations import Generation
from tests.model.reference_values import (
    EPOCH_MAX,
    SEQUENCES,
    Batch,
    Kept,
    Marker,
    Outcome,
)


@dataclass
class Producer:
    """State of a producer in the partition."""

    producer_epoch: int
    coordinator_epoch: int = -1
    last_timestamp_ms: int = -1
    transaction_first_offset: int | None = None
    kept: list[Kept] = field(default_factory=list[Kept])


@dataclass
class Verification:
    """A producer whose transaction is being verified with the coordinator."""

    number: int
    began_ms: int
    producer_epoch: int
    lowest_sequence: int
    supports_epoch_bump: bool


class Transaction(NamedTuple):
    """A transaction that a marker ended."""

    producer_id: int
    first_offset: int
    last_offset: int
    is_commit: bool
    last_stable_offset: int
    """Start of the next open transaction, or else the offset after the marker."""


class Written(NamedTuple):
    """A batch or marker in the log."""

    base_offset: int
    last_offset: int
    content: Batch | Marker | None


class ReferencePartition:
    """One partition of a broker of one generation."""

    def __init__(self, generation: Generation, *, expiration_ms: int) -> None:
        self.generation = generation
        self.expiration_ms = expiration_ms
        self.written: list[Written] = []
        self.producers: dict[int, Producer] = {}
        self.verifications: dict[int, Verification] = {}
        self.ended: list[Transaction] = []
        self.unreplicated: list[Transaction] = []
        self.log_start_offset = 0
        self.high_watermark = 0
        self.verifications_begun = 0

    # What can be seen.

    @property
    def log_end_offset(self) -> int:
        return self.written[-1].last_offset + 1 if self.written else self.log_start_offset

    @property
    def last_stable_offset(self) -> int:
        """Nothing at or behind it is undecided, or decided by a marker that is not replicated."""
        unstable = [
            producer.transaction_first_offset
            for producer in self.producers.values()
            if producer.transaction_first_offset is not None
        ]
        unstable += [
            transaction.first_offset
            for transaction in self.unreplicated
            if transaction.last_offset >= self.high_watermark
        ]
        first_unstable = min(unstable, default=self.high_watermark)
        if first_unstable < self.log_start_offset:
            first_unstable = self._first_left()
        return min(first_unstable, self.high_watermark)

    def aborted_transactions(self, fetch_offset: int, up_to_offset: int) -> list[Transaction]:
        """Those of which something lies in the range, in the order of their markers."""
        return [
            transaction
            for transaction in self.ended
            if not transaction.is_commit
            and transaction.last_offset >= fetch_offset
            and transaction.first_offset < up_to_offset
        ]

    def next_sequence(self, producer_id: int) -> int:
        """The one sequence that is in order; 0 where the epoch has no batch yet."""
        kept = self.producers[producer_id].kept
        return (kept[-1].last_sequence + 1) % SEQUENCES if kept else 0

    def has_ongoing_transaction(self, producer_id: int, producer_epoch: int) -> bool:
        producer = self.producers.get(producer_id)
        if producer is None or producer.transaction_first_offset is None:
            return False
        right_epoch = producer.producer_epoch == producer_epoch
        return right_epoch or not self.generation.fences_before_verifying

    # What happens to it.

    def append_without_producer(self, records: int) -> Outcome:
        return self._write(None, records)

    def start_verification(
        self,
        producer_id: int,
        base_sequence: int,
        producer_epoch: int,
        *,
        supports_epoch_bump: bool,
        now_ms: int,
    ) -> int | ErrorCode | None:
        """Give the verification's number, None where the transaction is open, or refuse."""
        if self.generation.fences_before_verifying and self._is_behind(producer_id, producer_epoch):
            return ErrorCode.INVALID_PRODUCER_EPOCH
        if self.has_ongoing_transaction(producer_id, producer_epoch):
            return None
        begun = self.verifications.get(producer_id)
        if begun is None:
            self.verifications_begun += 1
            begun = self.verifications[producer_id] = Verification(
                self.verifications_begun, now_ms, producer_epoch, base_sequence, supports_epoch_bump
            )
        elif producer_epoch > begun.producer_epoch:
            begun.producer_epoch, begun.lowest_sequence = producer_epoch, base_sequence
        elif producer_epoch == begun.producer_epoch:
            begun.lowest_sequence = min(begun.lowest_sequence, base_sequence)
        return begun.number

    def produce(self, batch: Batch, verification: int | None = None) -> Outcome:
        duplicate = self._duplicate(batch)
        if duplicate is not None:
            return duplicate
        refusal = self._refusal(batch, verification)
        if refusal != ErrorCode.NONE:
            return Outcome(refusal)
        outcome = self._write(batch, batch.records)
        self._take_in(batch, outcome.base_offset)
        if batch.is_transactional:
            self.verifications.pop(batch.producer_id, None)
        return outcome

    def end_transaction(self, marker: Marker, *, transaction_version: int = 0) -> Outcome:
        producer = self.producers.get(marker.producer_id)
        if producer is not None:
            if self._is_fenced(marker, producer, transaction_version):
                return Outcome(ErrorCode.INVALID_PRODUCER_EPOCH)
            if marker.coordinator_epoch < producer.coordinator_epoch:
                return Outcome(ErrorCode.TRANSACTION_COORDINATOR_FENCED)
        outcome = self._write(marker, 1)
        self._index(marker, outcome.base_offset)
        self._take_in(marker, outcome.base_offset)
        begun = self.verifications.get(marker.producer_id)
        # With transaction version 2 the epoch behind the marker belongs to the next transaction.
        is_of_the_next = (
            begun is not None
            and begun.supports_epoch_bump
            and begun.producer_epoch == marker.producer_epoch
        )
        if not is_of_the_next:
            self.verifications.pop(marker.producer_id, None)
        return outcome

    def advance_high_watermark(self, offset: int) -> None:
        self.high_watermark = max(self.high_watermark, min(offset, self.log_end_offset))

    def delete_before(self, offset: int) -> None:
        """The log starts later: DeleteRecords, or retention."""
        if offset <= self.log_start_offset:
            return
        self.log_start_offset = offset
        if self.generation.state_dies_with_log:
            for producer_id, producer in list(self.producers.items()):
                if not producer.kept or producer.kept[-1].last_offset < offset:
                    del self.producers[producer_id]

    def expire(self, now_ms: int) -> list[int]:
        """Time passes over producers without a transaction, and over verifications."""
        expired = [
            producer_id
            for producer_id, producer in self.producers.items()
            if producer.transaction_first_offset is None
            and now_ms - producer.last_timestamp_ms >= self.expiration_ms
        ]
        for producer_id in expired:
            del self.producers[producer_id]
        for producer_id, begun in list(self.verifications.items()):
            if now_ms - begun.began_ms >= self.expiration_ms:
                del self.verifications[producer_id]
        return expired

    def rebuild_from_log(self) -> None:
        """Rebuild the state from the log, as a new leader does."""
        self.forget_producers()
        self.ended.clear()
        for written in self.written:
            if written.last_offset >= self.log_start_offset and written.content is not None:
                if isinstance(written.content, Marker):
                    self._index(written.content, written.base_offset)
                self._take_in(written.content, written.base_offset)

    def forget_producers(self) -> None:
        """Another replica leads, and knows nothing of producers; the log's index is its own."""
        self.producers.clear()
        self.verifications.clear()
        self.unreplicated.clear()

    # How it is decided.

    def _duplicate(self, batch: Batch) -> Outcome | None:
        producer = self.producers.get(batch.producer_id)
        if producer is None or producer.producer_epoch != batch.producer_epoch:
            return None
        sequences = (batch.base_sequence, batch.last_sequence)
        for kept in producer.kept:
            if (kept.first_sequence, kept.last_sequence) == sequences:
                return Outcome(
                    ErrorCode.NONE, kept.first_offset, kept.last_offset, kept.timestamp_ms, True
                )
        return None

    def _refusal(self, batch: Batch, verification: int | None) -> ErrorCode:
        if batch.is_transactional and not self.has_ongoing_transaction(
            batch.producer_id, batch.producer_epoch
        ):
            behind = self._is_behind(batch.producer_id, batch.producer_epoch)
            if behind and self.generation.fences_before_verifying:
                return ErrorCode.INVALID_PRODUCER_EPOCH
            if self.generation.verifies and not self._is_verified(batch, verification):
                return ErrorCode.INVALID_TXN_STATE
        if self._is_behind(batch.producer_id, batch.producer_epoch):
            return ErrorCode.INVALID_PRODUCER_EPOCH
        refusal = self._sequence_refusal(batch)
        if refusal != ErrorCode.NONE:
            return refusal
        producer = self.producers.get(batch.producer_id)
        is_open = producer is not None and producer.transaction_first_offset is not None
        if is_open and not batch.is_transactional:
            return ErrorCode.INVALID_TXN_STATE
        return ErrorCode.NONE

    def _sequence_refusal(self, batch: Batch) -> ErrorCode:
        producer = self.producers.get(batch.producer_id)
        begun = self.verifications.get(batch.producer_id)
        if begun is not None:
            has_batches = producer is not None and producer.kept
            if begun.supports_epoch_bump and batch.base_sequence != 0 and not has_batches:
                return ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
            if batch.base_sequence > begun.lowest_sequence:
                return ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        if batch.base_sequence == 0 and (producer is None or not producer.kept):
            return ErrorCode.NONE
        if producer is None:
            return self.generation.unknown_producer
        if batch.producer_epoch > producer.producer_epoch:
            in_order = batch.base_sequence == 0
        elif not producer.kept:
            return self.generation.unknown_sequence
        else:
            in_order = batch.base_sequence == self.next_sequence(batch.producer_id)
        return ErrorCode.NONE if in_order else ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER

    def _is_behind(self, producer_id: int, producer_epoch: int) -> bool:
        producer = self.producers.get(producer_id)
        return producer is not None and producer_epoch < producer.producer_epoch

    def _is_verified(self, batch: Batch, verification: int | None) -> bool:
        begun = self.verifications.get(batch.producer_id)
        return begun is not None and begun.number == verification

    def _is_fenced(self, marker: Marker, producer: Producer, transaction_version: int) -> bool:
        if transaction_version < 2 or not self.generation.knows_transaction_version_2:
            return marker.producer_epoch < producer.producer_epoch
        if marker.producer_epoch > producer.producer_epoch:
            return False
        is_retry = marker.producer_epoch == producer.producer_epoch and (
            producer.transaction_first_offset is None or marker.producer_epoch == EPOCH_MAX
        )
        return not is_retry

    def _first_left(self) -> int:
        """Return the log start, or the start of its batch."""
        start = self.log_start_offset
        if self.generation.stable_within_batches:
            return start
        cut = (each.base_offset for each in self.written if each.last_offset >= start)
        return next(cut, start)

    def _write(self, content: Batch | Marker | None, records: int) -> Outcome:
        base_offset = self.log_end_offset
        last_offset = base_offset + records - 1
        self.written.append(Written(base_offset, last_offset, content))
        return Outcome(ErrorCode.NONE, base_offset, last_offset)

    def _index(self, marker: Marker, offset: int) -> None:
        """Note the transaction that a marker ends, before the producer forgets it."""
        producer = self.producers.get(marker.producer_id)
        first_offset = producer.transaction_first_offset if producer is not None else None
        if first_offset is None:
            if not self.generation.lists_empty_aborts:
                return
            first_offset = offset
        others_began = [
            other.transaction_first_offset
            for producer_id, other in self.producers.items()
            if producer_id != marker.producer_id and other.transaction_first_offset is not None
        ]
        ended = Transaction(
            marker.producer_id,
            first_offset,
            offset,
            marker.is_commit,
            min(others_began, default=offset + 1),
        )
        self.ended.append(ended)
        self.unreplicated.append(ended)

    def _take_in(self, content: Batch | Marker, base_offset: int) -> None:
        """Update the state with a batch, whether it is new or read from the log."""
        producer = self.producers.setdefault(
            content.producer_id, Producer(producer_epoch=content.producer_epoch)
        )
        if producer.producer_epoch != content.producer_epoch:
            producer.producer_epoch = content.producer_epoch
            producer.kept.clear()
            if not self.generation.marker_keeps_alive:
                producer.last_timestamp_ms = -1
        if isinstance(content, Marker):
            self._take_in_marker(content, producer, base_offset)
        else:
            self._take_in_batch(content, producer, base_offset)

    def _take_in_batch(self, batch: Batch, producer: Producer, base_offset: int) -> None:
        last_offset = base_offset + batch.records - 1
        if self.generation.counts_offsets_by_sequence:
            base_offset = last_offset - (batch.last_sequence - batch.base_sequence)
        producer.kept.append(
            Kept(
                batch.base_sequence,
                batch.last_sequence,
                base_offset,
                last_offset,
                batch.timestamp_ms,
            )
        )
        del producer.kept[: -self.generation.batches_kept]
        producer.last_timestamp_ms = batch.timestamp_ms
        if batch.is_transactional and producer.transaction_first_offset is None:
            producer.transaction_first_offset = base_offset

    def _take_in_marker(self, marker: Marker, producer: Producer, offset: int) -> None:
        producer.transaction_first_offset = None
        producer.coordinator_epoch = marker.coordinator_epoch
        if self.generation.marker_keeps_alive:
            producer.last_timestamp_ms = marker.timestamp_ms
        if self.generation.marker_replaces_batch:
            last_sequence = producer.kept[-1].last_sequence if producer.kept else -1
            stand_in = Kept(last_sequence, last_sequence, offset, offset, marker.timestamp_ms)
            producer.kept[:] = [stand_in]
