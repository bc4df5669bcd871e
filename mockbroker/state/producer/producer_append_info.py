"""The check of one append against the state of its producer.

The rules, in the order in which they are checked:

1. A batch of an older epoch than the producer's current one comes from a fenced producer.
2. A batch must not overtake one with a lower sequence whose transaction is still being verified.
3. A newer epoch starts at sequence 0.
4. Within an epoch a batch starts where the last one ended: 2^31-1 is followed by 0.
5. A producer without state may start at any sequence, or, before KIP-360 was finished, only at
   sequence 0 (`accepts_unknown_producer`).
6. Within a transaction there are only the transaction's own batches.
7. A marker is not older than its producer's epoch, nor its coordinator than the one before. If the
   client bumps its epoch with every transaction, the marker is newer than the transaction.

`ProducerStateManager` recognises retries before it runs these checks.
"""

from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_SEQUENCE, BatchHeader
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_state_entry import MAX_SEQUENCE, ProducerStateEntry
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.producer.verification_state_entry import (
    VerificationGuard,
    VerificationStateEntry,
)

EPOCH_BUMP_PER_TRANSACTION: Final = 2
"""The transaction.version from which a marker carries the epoch after its transaction's."""

_LAST_EPOCH: Final = 32767
"""The last epoch. No epoch follows, so a marker of the same epoch ends its transaction."""


class ProducerAppendInfo:
    """The check of an append, and the entry to update after it (Kafka's class of that name)."""

    __slots__ = ("_current", "_options", "_verification", "producer_id")

    def __init__(
        self,
        producer_id: int,
        current: ProducerStateEntry | None,
        options: ProducerStateOptions,
        verification: VerificationStateEntry | None = None,
    ) -> None:
        """Check against `current`, which is None for a producer without state."""
        self.producer_id = producer_id
        self._current = current or ProducerStateEntry(producer_id)
        self._options = options
        self._verification = verification

    def check_data_batch(self, header: BatchHeader, *, is_from_client: bool = True) -> None:
        """Check epoch, sequence and transaction of a batch of records.

        A batch that a coordinator writes in a producer's name has no sequence.

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER, UNKNOWN_PRODUCER_ID,
                DUPLICATE_SEQUENCE_NUMBER, INVALID_TXN_STATE.

        """
        if is_from_client or self._options.fences_coordinators_batches:
            self.check_producer_epoch(header.producer_epoch)
        if is_from_client:
            self._check_verified_sequence(header.base_sequence)
            if header.producer_epoch != self._current.producer_epoch:
                self._check_new_epoch(header)
            else:
                self._check_in_sequence(header)
        if self._current.current_txn_first_offset >= 0 and not header.is_transactional:
            raise ApiError(
                ErrorCode.INVALID_TXN_STATE,
                f"producer {self.producer_id} has a transaction open, this batch is not part of it",
            )

    def check_end_txn_marker(self, marker: EndTxnMarker, transaction_version: int) -> None:
        """Check a marker; a repeated marker, and one without an open transaction, are accepted.

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED.

        """
        current = self._current
        self.check_producer_epoch(marker.producer_epoch)
        if (
            transaction_version >= EPOCH_BUMP_PER_TRANSACTION
            and marker.producer_epoch == current.producer_epoch < _LAST_EPOCH
            and current.current_txn_first_offset >= 0
        ):
            raise ApiError(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"the transaction of producer {self.producer_id} has epoch "
                f"{current.producer_epoch}, its marker needs a later one (KIP-890)",
            )
        if marker.coordinator_epoch < current.coordinator_epoch:
            raise ApiError(
                ErrorCode.TRANSACTION_COORDINATOR_FENCED,
                f"a coordinator of epoch {current.coordinator_epoch} has written for producer "
                f"{self.producer_id}, epoch {marker.coordinator_epoch} is fenced",
            )

    def check_producer_epoch(self, producer_epoch: int) -> None:
        """Check that the epoch is not older than the current one.

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH.

        """
        if producer_epoch < self._current.producer_epoch:
            raise ApiError(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"producer {self.producer_id} has epoch {self._current.producer_epoch}, "
                f"epoch {producer_epoch} is fenced",
            )

    def check_verified(self, verification_guard: VerificationGuard | None) -> None:
        """Check that the first batch of a transaction was verified.

        Raises:
            ApiError: INVALID_TXN_STATE.

        """
        verification = self._verification
        is_verified = (
            verification is not None and verification.verification_guard is verification_guard
        )
        if self._options.verifies_transactions and not is_verified:
            raise ApiError(
                ErrorCode.INVALID_TXN_STATE,
                f"producer {self.producer_id} has no transaction open here, "
                "and this batch was not verified to belong to one",
            )

    def updated_entry(self, header: BatchHeader) -> ProducerStateEntry:
        """Return the entry to which the checked batch will be added.

        Within an epoch it is the current entry. For a new epoch it is a new entry without batches,
        which the manager stores after the append, so that a failed append changes nothing.
        """
        if self._current.producer_epoch == header.producer_epoch:
            return self._current
        return self._current.in_new_epoch(header.producer_epoch)

    def _check_verified_sequence(self, base_sequence: int) -> None:
        verification = self._verification
        if verification is None:
            return
        if verification.supports_epoch_bump and base_sequence != 0 and self._current.is_empty:
            raise self._out_of_order(base_sequence, "0 is the first of its transaction (KIP-890)")
        if base_sequence > verification.lowest_sequence:
            raise self._out_of_order(
                base_sequence, f"{verification.lowest_sequence} is still being verified"
            )

    def _check_new_epoch(self, header: BatchHeader) -> None:
        if header.base_sequence == 0:
            return
        if self._current.producer_epoch != NO_PRODUCER_EPOCH:
            raise self._out_of_order(
                header.base_sequence, f"epoch {header.producer_epoch} begins with 0"
            )
        if not self._options.accepts_unknown_producer:
            raise ApiError(
                self._options.unknown_producer_error,
                f"producer {self.producer_id} has no state here, so its sequence must be 0, "
                f"not {header.base_sequence}",
            )

    def _check_in_sequence(self, header: BatchHeader) -> None:
        current = self._current
        last_sequence = current.last_sequence
        expected_sequence = 0 if last_sequence == MAX_SEQUENCE else last_sequence + 1
        if header.base_sequence == expected_sequence:
            return
        if current.producer_epoch == NO_PRODUCER_EPOCH and self._options.accepts_unknown_producer:
            return
        if last_sequence == NO_SEQUENCE:
            raise ApiError(
                self._options.unknown_sequence_error,
                f"producer {self.producer_id} has only a marker in epoch {current.producer_epoch}, "
                f"so its sequence must be 0, not {header.base_sequence}",
            )
        if self._options.duplicate_without_metadata and current.is_older_than_remembered(
            header.last_sequence
        ):
            raise ApiError(
                ErrorCode.DUPLICATE_SEQUENCE_NUMBER,
                f"producer {self.producer_id} sent sequence {header.base_sequence} again; its "
                f"offset is no longer known, {expected_sequence} is next (KIP-192)",
            )
        raise self._out_of_order(header.base_sequence, f"{expected_sequence} is next")

    def _out_of_order(self, base_sequence: int, why: str) -> ApiError:
        return ApiError(
            ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
            f"producer {self.producer_id} sent sequence {base_sequence}, {why}",
        )
