"""What a partition remembers of one producer."""

from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple

from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_SEQUENCE, NO_TIMESTAMP

BATCHES_RETAINED: Final = 5
MAX_SEQUENCE: Final = (1 << 31) - 1

_BATCH: Final = Struct("<iqiq")
_PACK: Final = _BATCH.pack
_RETAINED_BYTES: Final = BATCHES_RETAINED * _BATCH.size


class BatchMetadata(NamedTuple):
    """A batch that was appended, as far as a retry of it needs (Kafka's `BatchMetadata`)."""

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

    A million of these must be cheap to keep, so the batches are packed into one `bytes`, oldest
    first. `last_sequence` and `last_timestamp_ms` repeat the newest one's, for the append path and
    for the expiry sweep. (KIP-98, KIP-360)
    """

    __slots__ = ("_batches", "last_sequence", "last_timestamp_ms", "producer_epoch", "producer_id")

    def __init__(self, producer_id: int, producer_epoch: int = NO_PRODUCER_EPOCH) -> None:
        """Start without batches."""
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.last_sequence = NO_SEQUENCE
        self.last_timestamp_ms = NO_TIMESTAMP
        self._batches = b""

    @property
    def is_empty(self) -> bool:
        """Whether no batch is remembered."""
        return not self._batches

    def batches(self) -> Iterator[BatchMetadata]:
        """Yield the remembered batches, oldest first."""
        return map(BatchMetadata._make, _BATCH.iter_unpack(self._batches))

    def add_batch(
        self, base_sequence: int, base_offset: int, offset_delta: int, timestamp_ms: int
    ) -> None:
        """Remember a batch of the current epoch, and forget the sixth last."""
        self.last_sequence = last_sequence = (base_sequence + offset_delta) & MAX_SEQUENCE
        self.last_timestamp_ms = timestamp_ms
        batch = _PACK(last_sequence, base_offset + offset_delta, offset_delta, timestamp_ms)
        self._batches = (self._batches + batch)[-_RETAINED_BYTES:]

    def find_duplicate_batch(
        self, producer_epoch: int, base_sequence: int, last_sequence: int
    ) -> BatchMetadata | None:
        """Return the remembered batch with exactly these sequences in the current epoch."""
        if producer_epoch != self.producer_epoch:
            return None
        for batch in self.batches():
            if batch.last_sequence == last_sequence and batch.first_sequence == base_sequence:
                return batch
        return None

    def __repr__(self) -> str:
        """Show the epoch and every batch: `[first sequence..last sequence @ first offset]`."""
        batches = " ".join(
            f"[{batch.first_sequence}..{batch.last_sequence} @ {batch.first_offset}]"
            for batch in self.batches()
        )
        return (
            f"ProducerStateEntry(producer_id={self.producer_id}, "
            f"producer_epoch={self.producer_epoch}, last_timestamp_ms={self.last_timestamp_ms}, "
            f"batches={batches or '-'})"
        )
