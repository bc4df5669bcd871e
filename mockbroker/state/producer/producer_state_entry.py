"""The state of one producer in one partition."""

from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple, Self

from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_SEQUENCE, NO_TIMESTAMP
from mockbroker.state.log.timestamp_shifts import TimestampShifts
from mockbroker.state.producer.producer_snapshot import ProducerSnapshotEntry

BATCHES_RETAINED: Final = 5
MAX_SEQUENCE: Final = (1 << 31) - 1

NO_OFFSET: Final = -1
NO_COORDINATOR_EPOCH: Final = -1

_BATCH: Final = Struct("<iqiq")
pack_batch: Final = _BATCH.pack
"""Packs last sequence, last offset, offset delta and timestamp, for `packed_batches`."""

_LAST_OFFSET: Final = Struct("<q")
_LAST_OFFSET_AT: Final = 4
BATCH_BYTES: Final = _BATCH.size
"""The size of one remembered batch; entries take the amount to remember in bytes."""

_RETAINED_BYTES: Final = BATCHES_RETAINED * BATCH_BYTES


class BatchMetadata(NamedTuple):
    """The fields of an appended batch that answer a retry of it (Kafka's `BatchMetadata`)."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp_ms: int

    @property
    def first_sequence(self) -> int:
        """The sequence of its first record, before any wrap."""
        return (self.last_sequence - self.offset_delta) & MAX_SEQUENCE

    @property
    def first_offset(self) -> int:
        """The offset of its first record."""
        return self.last_offset - self.offset_delta


class ProducerStateEntry:
    """A producer's epoch and its last batches in one partition (Kafka's `ProducerStateEntry`).

    The batches are packed into one `bytes`, oldest first, so that a million entries take little
    memory. `last_sequence` and `last_timestamp_ms` repeat those of the newest batch, for the append
    path and for the expiry sweep. (KIP-98, KIP-360)
    """

    __slots__ = (
        "coordinator_epoch",
        "current_txn_first_offset",
        "last_sequence",
        "last_timestamp_ms",
        "packed_batches",
        "producer_epoch",
        "producer_id",
    )

    def __init__(self, producer_id: int, producer_epoch: int = NO_PRODUCER_EPOCH) -> None:
        """Start without batches and outside of a transaction."""
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.last_sequence = NO_SEQUENCE
        self.last_timestamp_ms = NO_TIMESTAMP
        self.current_txn_first_offset = NO_OFFSET
        self.coordinator_epoch = NO_COORDINATOR_EPOCH
        self.packed_batches = b""

    @classmethod
    def of_snapshot(cls, loaded: ProducerSnapshotEntry) -> Self:
        """Create an entry from a snapshot."""
        entry = cls(loaded.producer_id, loaded.producer_epoch)
        entry.last_sequence = loaded.last_sequence
        entry.last_timestamp_ms = loaded.timestamp_ms
        entry.coordinator_epoch = loaded.coordinator_epoch
        entry.current_txn_first_offset = loaded.current_txn_first_offset
        if loaded.last_offset >= 0:
            batch = loaded.last_sequence, loaded.last_offset, loaded.offset_delta
            entry.packed_batches = pack_batch(*batch, loaded.timestamp_ms)
        return entry

    def copy(self) -> Self:
        """Return a copy, independent of the original from then on."""
        made = type(self)(self.producer_id, self.producer_epoch)
        made.last_sequence = self.last_sequence
        made.last_timestamp_ms = self.last_timestamp_ms
        made.current_txn_first_offset = self.current_txn_first_offset
        made.coordinator_epoch = self.coordinator_epoch
        made.packed_batches = self.packed_batches
        return made

    def snapshot(self) -> ProducerSnapshotEntry:
        """Return the entry's form in a snapshot."""
        last_batch = self.last_batch
        return ProducerSnapshotEntry(
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            last_sequence=self.last_sequence,
            last_offset=last_batch.last_offset if last_batch else NO_OFFSET,
            offset_delta=last_batch.offset_delta if last_batch else 0,
            timestamp_ms=self.last_timestamp_ms,
            coordinator_epoch=self.coordinator_epoch,
            current_txn_first_offset=self.current_txn_first_offset,
        )

    @property
    def is_empty(self) -> bool:
        """True if no batch is remembered."""
        return not self.packed_batches

    def batches(self) -> Iterator[BatchMetadata]:
        """Yield the remembered batches, oldest first."""
        return map(BatchMetadata._make, _BATCH.iter_unpack(self.packed_batches))

    @property
    def last_data_offset(self) -> int:
        """The offset of the last record of its last batch, or -1."""
        if not self.packed_batches:
            return NO_OFFSET
        at = len(self.packed_batches) - BATCH_BYTES + _LAST_OFFSET_AT
        (last_offset,) = _LAST_OFFSET.unpack_from(self.packed_batches, at)
        assert isinstance(last_offset, int)
        return last_offset

    @property
    def last_batch(self) -> BatchMetadata | None:
        """The newest batch that is remembered."""
        if not self.packed_batches:
            return None
        return BatchMetadata(*_BATCH.unpack(self.packed_batches[-BATCH_BYTES:]))

    def shifted_ms(self, shifts: TimestampShifts) -> int:
        """Return its last timestamp by the state's clock, given the shifts of its log.

        A timestamp other than the last batch's is that of a marker, which the broker stamped.
        """
        batch = self.last_batch
        if batch is None or batch.timestamp_ms != self.last_timestamp_ms:
            return self.last_timestamp_ms
        return batch.timestamp_ms + shifts.at(batch.last_offset)

    def add_batch(
        self,
        base_sequence: int,
        last_offset: int,
        offset_delta: int,
        timestamp_ms: int,
        retained_bytes: int = _RETAINED_BYTES,
    ) -> None:
        """Remember a batch of the current epoch, and drop the sixth last."""
        # Batches that a coordinator writes for a producer have no sequences.
        last_sequence = (
            (base_sequence + offset_delta) & MAX_SEQUENCE if base_sequence >= 0 else NO_SEQUENCE
        )
        self.last_sequence = last_sequence
        self.last_timestamp_ms = timestamp_ms
        batch = pack_batch(last_sequence, last_offset, offset_delta, timestamp_ms)
        self.packed_batches = (self.packed_batches + batch)[-retained_bytes:]

    def keep_last_batch(self) -> None:
        """Forget all batches but the last, as a snapshot does."""
        self.packed_batches = self.packed_batches[-BATCH_BYTES:]

    def replace_last_batch(self, batch: BatchMetadata) -> None:
        """Replace all remembered batches by this one."""
        self.packed_batches = pack_batch(*batch)

    def end_transaction(
        self, producer_epoch: int, coordinator_epoch: int, timestamp_ms: int
    ) -> None:
        """Apply a marker; a marker of another epoch starts that epoch, without batches."""
        if producer_epoch != self.producer_epoch:
            self.begin_epoch(producer_epoch)
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_first_offset = NO_OFFSET
        self.last_timestamp_ms = timestamp_ms

    def begin_epoch(self, producer_epoch: int) -> None:
        """Forget the batches of the epoch before."""
        self.producer_epoch = producer_epoch
        self.last_sequence = NO_SEQUENCE
        self.packed_batches = b""

    def forget_records(self) -> None:
        """Drop its batches and its open transaction, which are no longer in the log."""
        self.last_sequence = NO_SEQUENCE
        self.current_txn_first_offset = NO_OFFSET
        self.packed_batches = b""

    def before(self, offset: int) -> Self | None:
        """Return the entry without the records from `offset` on; None if no batch is left of it.

        An entry that has only a marker is returned as it is.
        """
        older = [batch for batch in self.batches() if batch.last_offset < offset]
        if not older and self.packed_batches:
            return None
        made = self.copy()
        if made.current_txn_first_offset >= offset:
            made.current_txn_first_offset = NO_OFFSET
        if len(older) * BATCH_BYTES < len(self.packed_batches):
            made.packed_batches = self.packed_batches[: len(older) * BATCH_BYTES]
            made.last_sequence = older[-1].last_sequence
            made.last_timestamp_ms = older[-1].timestamp_ms
        return made

    def in_new_epoch(self, producer_epoch: int) -> Self:
        """Return the entry with which a new epoch begins: same transaction, no batches."""
        entry = type(self)(self.producer_id, producer_epoch)
        entry.current_txn_first_offset = self.current_txn_first_offset
        entry.coordinator_epoch = self.coordinator_epoch
        return entry

    def find_duplicate_batch(
        self, producer_epoch: int, base_sequence: int, last_sequence: int
    ) -> BatchMetadata | None:
        """Return the remembered batch with exactly these sequences in the current epoch."""
        if producer_epoch != self.producer_epoch:
            return None
        for fields in _BATCH.iter_unpack(self.packed_batches):
            if fields[0] == last_sequence:
                batch = BatchMetadata(*fields)
                if batch.first_sequence == base_sequence:
                    return batch
        return None

    def is_older_than_remembered(self, last_sequence: int) -> bool:
        """Return whether a batch with this last sequence precedes all remembered batches.

        As in Kafka 1.0, sequences are compared as numbers, which is wrong after they wrapped, and a
        batch that ends with sequence 0 precedes none.
        """
        oldest = next(self.batches(), None)
        if oldest is None or last_sequence == 0 or oldest.first_sequence == MAX_SEQUENCE:
            return False
        return last_sequence < oldest.first_sequence

    def __repr__(self) -> str:
        """Show all fields and every batch: `[first sequence..last sequence @ first offset]`."""
        batches = " ".join(
            f"[{batch.first_sequence}..{batch.last_sequence} @ {batch.first_offset}]"
            for batch in self.batches()
        )
        return (
            f"ProducerStateEntry(producer_id={self.producer_id}, "
            f"producer_epoch={self.producer_epoch}, last_timestamp_ms={self.last_timestamp_ms}, "
            f"current_txn_first_offset={self.current_txn_first_offset}, "
            f"coordinator_epoch={self.coordinator_epoch}, batches={batches or '-'})"
        )
