"""The state of a transactional id in its coordinator, and its transitions.

Invariants:

1. A value never changes. A transition is prepared (`prepare_...`, which checks and returns the
   record to log), begun (`begin_transition`, after which it is pending), logged, and then completed
   (`complete_transition`) or cancelled (`cancel_transition`). Each step creates a new value.
2. While a transition is pending, no other can be prepared.
3. An epoch is never reused: 32766 is the last that a producer gets, so that the coordinator can
   always fence once more. After it the producer gets a new producer id, with epoch 0.
4. A transition that is not in the table of states, or that loses a partition or an epoch, raises
   `IllegalTransitionError` and creates no new value.
"""

from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    TopicPartition,
)
from mockbroker.state.transaction.producer_epochs import (
    LAST_PRODUCER_EPOCH,
    PRODUCER_EPOCH_MAX,
    supports_epoch_bump,
)
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from mockbroker.state.transaction.transaction_state import (
    BETWEEN_TRANSACTIONS,
    PREPARED,
    VALID_PREVIOUS_STATES,
    IllegalTransitionError,
    TransactionState,
)
from mockbroker.state.transaction.transition_fit import fits
from mockbroker.state.transaction.txn_transit_metadata import TxnTransitMetadata

NO_TIMEOUT_MS: Final = (1 << 31) - 1
"""The timeout of a two-phase commit: such a transaction never times out (KIP-939)."""

_NO_PARTITIONS: Final[frozenset[TopicPartition]] = frozenset()


class TransactionMetadata(NamedTuple):
    """One transactional id (Kafka's `TransactionMetadata`)."""

    transactional_id: str
    producer_id: int
    previous_producer_id: int
    next_producer_id: int
    producer_epoch: int
    last_producer_epoch: int
    """The previous epoch, as long as a retry with it is accepted; else -1."""
    next_producer_epoch: int
    timeout_ms: int
    state: TransactionState
    partitions: frozenset[TopicPartition]
    """The open transaction's partitions; while it ends, those whose marker is not written yet."""
    start_timestamp_ms: int
    last_update_timestamp_ms: int
    client_transaction_version: int
    """The transaction.version of the client at the last change of the state."""
    pending_state: TransactionState | None = None
    has_failed_epoch_fence: bool = False
    """True if a fence bumped the epoch but could not be logged: the next must not bump it again."""

    @classmethod
    def new(
        cls, transactional_id: str, producer_id: int, *, timeout_ms: int, now_ms: int
    ) -> "TransactionMetadata":
        """Return the metadata of a new transactional id, before its first epoch."""
        return cls(
            transactional_id,
            producer_id,
            NO_PRODUCER_ID,
            NO_PRODUCER_ID,
            NO_PRODUCER_EPOCH,
            NO_PRODUCER_EPOCH,
            NO_PRODUCER_EPOCH,
            timeout_ms,
            TransactionState.EMPTY,
            _NO_PARTITIONS,
            NO_TIMESTAMP,
            now_ms,
            0,
        )

    @classmethod
    def from_log(cls, transactional_id: str, value: TransactionLogValue) -> "TransactionMetadata":
        """Return the metadata from the last record of a transactional id."""
        return cls(
            transactional_id,
            value.producer_id,
            value.previous_producer_id,
            value.next_producer_id,
            value.producer_epoch,
            value.last_producer_epoch,
            value.next_producer_epoch,
            value.transaction_timeout_ms,
            TransactionState(value.state),
            frozenset(value.partitions or ()),
            value.start_timestamp_ms,
            value.last_update_timestamp_ms,
            value.client_transaction_version,
        )

    @property
    def is_producer_epoch_exhausted(self) -> bool:
        """True if the next epoch needs a new producer id."""
        return self.producer_epoch >= LAST_PRODUCER_EPOCH

    @property
    def is_two_phase_commit(self) -> bool:
        """True if its transactions have no timeout (KIP-939)."""
        return self.timeout_ms == NO_TIMEOUT_MS

    def require_not_prepared(self) -> None:
        """Check that no markers of a transaction are being written.

        Raises:
            ApiError: CONCURRENT_TRANSACTIONS.

        """
        if self.state in PREPARED:
            raise self._busy()

    def require_no_transition(self) -> None:
        """Check that no transition is pending and no markers are being written.

        Raises:
            ApiError: CONCURRENT_TRANSACTIONS.

        """
        if self.pending_state is not None or self.state in PREPARED:
            raise self._busy()

    def _busy(self) -> ApiError:
        pending = self.pending_state
        becoming = "" if pending is None else f", becoming {pending.state_name}"
        return ApiError(
            ErrorCode.CONCURRENT_TRANSACTIONS,
            f"{self.transactional_id!r} is {self.state.state_name}{becoming}",
        )

    # Prepare

    def prepare_increment_producer_epoch(
        self, timeout_ms: int, expected_producer_epoch: int | None, now_ms: int
    ) -> TxnTransitMetadata:
        """Prepare the next epoch for a producer that initialises or continues.

        A producer that sends its epoch continues. The current epoch is bumped. The previous epoch
        means a retry whose answer was lost; it is answered again without a bump. (KIP-360)

        Raises:
            ApiError: PRODUCER_FENCED for an epoch that is neither current nor previous.

        """
        assert not self.is_producer_epoch_exhausted, self
        producer_epoch = self.producer_epoch + 1
        last_producer_epoch = NO_PRODUCER_EPOCH
        if expected_producer_epoch is None:
            pass
        elif self.producer_epoch in {NO_PRODUCER_EPOCH, expected_producer_epoch}:
            last_producer_epoch = self.producer_epoch
        elif expected_producer_epoch == self.last_producer_epoch:
            producer_epoch = self.producer_epoch
            last_producer_epoch = self.last_producer_epoch
        else:
            raise ApiError(
                ErrorCode.PRODUCER_FENCED,
                f"{self.transactional_id!r} is at epoch {self.producer_epoch}, after epoch"
                f" {self.last_producer_epoch}, and the producer sent {expected_producer_epoch}",
            )
        return self._prepare(
            TransactionState.EMPTY,
            producer_epoch=producer_epoch,
            last_producer_epoch=last_producer_epoch,
            timeout_ms=timeout_ms,
            partitions=_NO_PARTITIONS,
            start_timestamp_ms=NO_TIMESTAMP,
            now_ms=now_ms,
        )

    def prepare_producer_id_rotation(
        self, producer_id: int, timeout_ms: int, now_ms: int, *, record_last_epoch: bool
    ) -> TxnTransitMetadata:
        """Prepare a new producer id with epoch 0, because the epochs of this one are exhausted."""
        return self._prepare(
            TransactionState.EMPTY,
            producer_id=producer_id,
            producer_epoch=0,
            last_producer_epoch=self.producer_epoch if record_last_epoch else NO_PRODUCER_EPOCH,
            timeout_ms=timeout_ms,
            partitions=_NO_PARTITIONS,
            start_timestamp_ms=NO_TIMESTAMP,
            now_ms=now_ms,
        )

    def prepare_fence_producer_epoch(self) -> TxnTransitMetadata:
        """Prepare the epoch with which the coordinator fences the producer and aborts.

        The epoch does not change if it is the highest, or if an earlier fence could not be logged:
        that bump was never used.
        """
        stays = self.has_failed_epoch_fence or self.producer_epoch == PRODUCER_EPOCH_MAX
        return self._prepare(
            TransactionState.PREPARE_EPOCH_FENCE,
            producer_epoch=self.producer_epoch if stays else self.producer_epoch + 1,
            now_ms=self.last_update_timestamp_ms,
        )

    def prepare_add_partitions(
        self, added: AbstractSet[TopicPartition], now_ms: int, client_transaction_version: int
    ) -> TxnTransitMetadata:
        """Prepare a transaction with more partitions; the first partitions begin it."""
        begins = self.state in BETWEEN_TRANSACTIONS
        return self._prepare(
            TransactionState.ONGOING,
            partitions=self.partitions | added,
            start_timestamp_ms=now_ms if begins else self.start_timestamp_ms,
            now_ms=now_ms,
            client_transaction_version=client_transaction_version,
        )

    def prepare_abort_or_commit(
        self,
        state: TransactionState,
        client_transaction_version: int,
        next_producer_id: int,
        now_ms: int,
        *,
        no_partition_added: bool,
    ) -> TxnTransitMetadata:
        """Prepare the end of a transaction, after which its markers must be written.

        With KIP-890 part 2 this bumps the epoch. If the epochs are exhausted, `next_producer_id`
        takes effect after the markers are written.
        """
        producer_epoch = self.producer_epoch
        last_producer_epoch = self.last_producer_epoch
        if supports_epoch_bump(client_transaction_version):
            last_producer_epoch = producer_epoch
            producer_epoch = min(producer_epoch + 1, PRODUCER_EPOCH_MAX)
        return self._prepare(
            state,
            producer_epoch=producer_epoch,
            last_producer_epoch=last_producer_epoch,
            next_producer_id=next_producer_id,
            start_timestamp_ms=now_ms if no_partition_added else self.start_timestamp_ms,
            now_ms=now_ms,
            client_transaction_version=client_transaction_version,
        )

    def prepare_complete(self, now_ms: int) -> TxnTransitMetadata:
        """Prepare the state after the last marker."""
        rolls_over = (
            supports_epoch_bump(self.client_transaction_version)
            and self.next_producer_id != NO_PRODUCER_ID
        )
        committed = self.state is TransactionState.PREPARE_COMMIT
        return self._prepare(
            TransactionState.COMPLETE_COMMIT if committed else TransactionState.COMPLETE_ABORT,
            producer_id=self.next_producer_id if rolls_over else self.producer_id,
            producer_epoch=0 if rolls_over else self.producer_epoch,
            partitions=_NO_PARTITIONS,
            now_ms=now_ms,
        )

    def prepare_dead(self) -> TxnTransitMetadata:
        """Prepare the removal of an expired transactional id."""
        return self._prepare(
            TransactionState.DEAD, partitions=_NO_PARTITIONS, now_ms=self.last_update_timestamp_ms
        )

    def _prepare(
        self,
        state: TransactionState,
        *,
        now_ms: int,
        producer_id: int | None = None,
        next_producer_id: int = NO_PRODUCER_ID,
        producer_epoch: int | None = None,
        last_producer_epoch: int | None = None,
        timeout_ms: int | None = None,
        partitions: frozenset[TopicPartition] | None = None,
        start_timestamp_ms: int | None = None,
        client_transaction_version: int | None = None,
    ) -> TxnTransitMetadata:
        if self.pending_state is not None or self.state not in VALID_PREVIOUS_STATES[state]:
            raise IllegalTransitionError(f"to {state.state_name} from {self}")
        new_epoch = self.producer_epoch if producer_epoch is None else producer_epoch
        if new_epoch < 0 and state is not TransactionState.DEAD:
            raise IllegalTransitionError(f"to {state.state_name} without an epoch from {self}")
        version = client_transaction_version
        return TxnTransitMetadata(
            self.producer_id if producer_id is None else producer_id,
            self.producer_id,
            next_producer_id,
            new_epoch,
            self.last_producer_epoch if last_producer_epoch is None else last_producer_epoch,
            NO_PRODUCER_EPOCH,
            self.timeout_ms if timeout_ms is None else timeout_ms,
            state,
            self.partitions if partitions is None else partitions,
            self.start_timestamp_ms if start_timestamp_ms is None else start_timestamp_ms,
            now_ms,
            self.client_transaction_version if version is None else version,
        )

    # Begin, complete, cancel

    def begin_transition(self, transit: TxnTransitMetadata) -> "TransactionMetadata":
        """Return a copy with a pending transition, which was prepared from this value."""
        assert self.pending_state is None, self
        return TransactionMetadata(*self[:13], transit.state, self.has_failed_epoch_fence)

    def cancel_transition(self) -> "TransactionMetadata":
        """Return a copy without a pending transition, because it was not logged."""
        return TransactionMetadata(*self[:13], None, self.has_failed_epoch_fence)

    def complete_transition(self, transit: TxnTransitMetadata) -> "TransactionMetadata":
        """Return the metadata after a transition that was logged.

        Raises:
            IllegalTransitionError: the transition is not the pending one, or does not fit.

        """
        if self.pending_state is not transit.state or not fits(self, transit):
            raise IllegalTransitionError(f"{transit} does not complete {self}")
        return TransactionMetadata(
            self.transactional_id, *transit, None, self.has_failed_epoch_fence
        )

    def without_partitions(self, written: AbstractSet[TopicPartition]) -> "TransactionMetadata":
        """Return a copy without partitions whose marker is written."""
        assert self.state in PREPARED, self
        left = self.partitions - written
        return TransactionMetadata(*self[:9], left, *self[10:])
