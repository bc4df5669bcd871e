"""The check of one append against what is known of its producer.

The laws, in the order in which they are checked:

1. A batch of an older epoch than the producer's current one comes from a fenced producer.
2. A newer epoch starts at sequence 0.
3. Within an epoch a batch starts where the last one ended: 2^31-1 is followed by 0.
4. A producer of which nothing is known may start anywhere, or, before KIP-360 was finished, only at
   sequence 0: that is `accepts_unknown_producer`.

Retries are found before this is asked (`ProducerStateManager`).
"""

from typing import NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.log.producer_state_entry import MAX_SEQUENCE, ProducerStateEntry


class ProducerStateOptions(NamedTuple):
    """How the checks of a partition's producers differ by release, and by broker configuration."""

    accepts_unknown_producer: bool = True
    """Whether any first sequence is taken from a producer without state (KIP-360, since 2.5)."""
    producer_id_expiration_ms: int = 86_400_000
    """`producer.id.expiration.ms`; before 3.4 it is `transactional.id.expiration.ms`."""


class ProducerAppendInfo:
    """A scratch place where an append is checked, merged only when all passed (same in Kafka)."""

    __slots__ = ("_current", "_options", "producer_id")

    def __init__(
        self, producer_id: int, current: ProducerStateEntry | None, options: ProducerStateOptions
    ) -> None:
        """Check against `current`, which is None for a producer without state."""
        self.producer_id = producer_id
        self._current = current
        self._options = options

    def check_data_batch(self, header: BatchHeader) -> None:
        """Check epoch and sequence of a batch of records.

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER, UNKNOWN_PRODUCER_ID.

        """
        current = self._current
        if current is None:
            self._check_first_sequence(header.base_sequence)
        elif header.producer_epoch < current.producer_epoch:
            raise ApiError(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"producer {self.producer_id} has epoch {current.producer_epoch}, "
                f"epoch {header.producer_epoch} is fenced",
            )
        elif header.producer_epoch > current.producer_epoch:
            self._check_new_epoch(header)
        else:
            self._check_in_sequence(header.base_sequence, current.last_sequence)

    def updated_entry(self, header: BatchHeader) -> ProducerStateEntry:
        """Return the entry that the checked batch is to be added to: current epoch, no batch yet.

        It is the current one itself within an epoch, else a new one that the manager puts in its
        place: nothing that is in place is changed before the append.
        """
        current = self._current
        if current is not None and current.producer_epoch == header.producer_epoch:
            return current
        return ProducerStateEntry(self.producer_id, header.producer_epoch)

    def _check_first_sequence(self, base_sequence: int) -> None:
        if base_sequence != 0 and not self._options.accepts_unknown_producer:
            raise ApiError(
                ErrorCode.UNKNOWN_PRODUCER_ID,
                f"producer {self.producer_id} has no state here, so its sequence must be 0, "
                f"not {base_sequence}",
            )

    def _check_new_epoch(self, header: BatchHeader) -> None:
        if header.base_sequence != 0:
            raise ApiError(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"producer {self.producer_id} begins epoch {header.producer_epoch} with sequence "
                f"{header.base_sequence} instead of 0",
            )

    def _check_in_sequence(self, base_sequence: int, last_sequence: int) -> None:
        expected_sequence = 0 if last_sequence == MAX_SEQUENCE else last_sequence + 1
        if base_sequence != expected_sequence:
            raise ApiError(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"producer {self.producer_id} sent sequence {base_sequence}, "
                f"{expected_sequence} is next",
            )
