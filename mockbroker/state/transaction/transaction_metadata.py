"""What a coordinator knows of a transactional id, and every transition it may make.

The laws:

1. A value never changes. A transition is prepared (`prepare_...`, which checks and returns what is
   to be logged), begun (`begin_transition`: pending from now on), logged, and then completed
   (`complete_transition`) or given up (`cancel_transition`). Each step is a new value.
2. While a transition is pending, no other can be prepared.
3. An epoch is never reused: 32766 is the last that a producer gets, so that the coordinator can
   always fence once more. After it comes another producer id, with epoch 0.
4. A transition that the table of states does not have, or that loses a partition or an epoch,
   raises `IllegalTransitionError`, and there is no new value.
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
from mockbroker.state.transaction.transaction_log_value import TransactionLogValue
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
"""The timeout of a two-phase commit: such a transaction is never aborted for its age (KIP-939)."""

_NO_PARTITIONS: Final[frozenset[TopicPartition]] = frozenset()


class TransactionMetadata(NamedTuple):
    """One transactional id (Kafka's `TransactionMetadata`)."""

    transactional_id: str
    producer_id: int
    previous_producer_id: int
    next_producer_id: int
    producer_epoch: int
    last_producer_epoch: int
    """The epoch before the current one, while a retry that names it is to be believed; else -1."""
    next_producer_epoch: int
    timeout_ms: int
    state: TransactionState
    partitions: frozenset[TopicPartition]
    """Those of the open transaction; of one that is ending, those that still lack their marker."""
    start_timestamp_ms: int
    last_update_timestamp_ms: int
    client_transaction_version: int
    """The transaction.version that the client spoke when the state was last changed."""
    pending_state: TransactionState | None = None
    has_failed_epoch_fence: bool = False
    """Whether the epoch was bumped to fence, but that could not be logged: do not bump it twice."""

    @classmethod
    def new(
        cls, transactional_id: str, producer_id: int, *, timeout_ms: int, now_ms: int
    ) -> "TransactionMetadata":
        """Return what a transactional id is before its first epoch."""
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
        """Return what the last record of a transactional id tells."""
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
        """Whether the next epoch has to be one of another producer id."""
        return self.producer_epoch >= LAST_PRODUCER_EPOCH

    @property
    def is_two_phase_commit(self) -> bool:
        """Whether its transactions have no timeout (KIP-939)."""
        return self.timeout_ms == NO_TIMEOUT_MS

    def require_not_prepared(self) -> None:
        """Refuse while the markers of a transaction are being written.

        Raises:
            ApiError: CONCURRENT_TRANSACTIONS.

        """
        if self.state in PREPARED:
            raise self._busy()

    def require_no_transition(self) -> None:
        """Refuse while anything is under way.

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
        """Prepare the next epoch for a producer that starts, or starts over.

        A producer that names its epoch continues: the current epoch is bumped, and the one before
        it is taken for a retry whose answer was lost, and answered again, unbumped. (KIP-360)

        Raises:
            ApiError: PRODUCER_FENCED for an epoch that is neither current nor last.

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
                f"{self.transactional_id!r} is at epoch {self.producer_epoch}, the last one was"
                f" {self.last_producer_epoch}, and the producer has {expected_producer_epoch}",
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
        """Prepare another producer id with epoch 0, because the epochs of this one ran out."""
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
        """Prepare the epoch with which the coordinator aborts over its producer's head.

        The epoch stays where a fence before this one could not be logged, because nobody was told
        of it, and where it is the highest.
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
        """Prepare a transaction with more partitions; the first ones begin it."""
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
        """Prepare the end of a transaction: from here on its markers have to be written.

        With KIP-890's second part this is where the epoch is bumped, and `next_producer_id` waits
        until the markers are written where epochs ran out.
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
        """Prepare the removal of a transactional id that was idle for too long."""
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

    # Begin, complete, give up

    def begin_transition(self, transit: TxnTransitMetadata) -> "TransactionMetadata":
        """Return this with a transition pending, which was prepared from it."""
        assert self.pending_state is None, self
        return TransactionMetadata(*self[:13], transit.state, self.has_failed_epoch_fence)

    def cancel_transition(self) -> "TransactionMetadata":
        """Return this with nothing pending: the transition was not logged."""
        return TransactionMetadata(*self[:13], None, self.has_failed_epoch_fence)

    def complete_transition(self, transit: TxnTransitMetadata) -> "TransactionMetadata":
        """Return what a transition makes of this, now that it is logged.

        Raises:
            IllegalTransitionError: it is not the pending one, or does not fit.

        """
        if self.pending_state is not transit.state or not fits(self, transit):
            raise IllegalTransitionError(f"{transit} does not complete {self}")
        return TransactionMetadata(
            self.transactional_id, *transit, None, self.has_failed_epoch_fence
        )

    def without_partitions(self, written: AbstractSet[TopicPartition]) -> "TransactionMetadata":
        """Return this without partitions that have got their marker."""
        assert self.state in PREPARED, self
        left = self.partitions - written
        return TransactionMetadata(*self[:9], left, *self[10:])
