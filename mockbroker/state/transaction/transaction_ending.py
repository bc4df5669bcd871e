"""The end of a transaction: a client's EndTxn, or a fencing abort by the coordinator itself.

Invariants:

1. First comes the decision (`end_txn.py`), then the transition is logged, then the markers are
   queued and the client is answered: for it the transaction ends before the markers are written.
2. A fencing abort uses an epoch that the producer does not have. Before KIP-890 part 2 the fence
   bumps the epoch; since then the end of the transaction does.
3. A fence that cannot be logged does not bump the epoch twice.
"""

from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from mockbroker.state.transaction.coordinator_host import CoordinatorHost
from mockbroker.state.transaction.end_txn import (
    EndTxnDecision,
    EndTxnRequest,
    decide_bumping_end,
    decide_end,
)
from mockbroker.state.transaction.producer_epochs import (
    NO_PRODUCER,
    ProducerIdAndEpoch,
    supports_epoch_bump,
)
from mockbroker.state.transaction.transaction_marker_channel import TransactionMarkerChannel
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.state.transaction.transaction_state_manager import (
    Transaction,
    TransactionStateManager,
)
from mockbroker.state.transaction.txn_transit_metadata import TxnTransitMetadata


class TransactionEnding:
    """The end of transactions in one coordinator (`TransactionCoordinator.endTransaction`)."""

    __slots__ = ("_broker_id", "_host", "_markers", "_states")

    def __init__(
        self,
        broker_id: int,
        host: CoordinatorHost,
        states: TransactionStateManager,
        markers: TransactionMarkerChannel,
    ) -> None:
        """End transactions in `states`, and queue their markers in `markers`."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._states: Final = states
        self._markers: Final = markers

    def end_transaction(self, request: EndTxnRequest, now_ms: int) -> ProducerIdAndEpoch:
        """Handle an EndTxn; see `TransactionCoordinator.end_transaction`."""
        transactional_id = request.transactional_id
        if not transactional_id:
            raise ApiError(ErrorCode.INVALID_REQUEST, "the transactional id is empty")
        transaction = self._states.get(transactional_id)
        if transaction is None:
            raise ApiError(
                ErrorCode.INVALID_PRODUCER_ID_MAPPING, f"{transactional_id!r} is not known"
            )
        return self._end(transaction, request, now_ms)

    def _end(
        self, transaction: Transaction, request: EndTxnRequest, now_ms: int
    ) -> ProducerIdAndEpoch:
        metadata = transaction.metadata
        bumps = supports_epoch_bump(request.client_transaction_version)
        if bumps:
            decision = decide_bumping_end(metadata, request)
        else:
            ahead = self._host.options.transactions.ending_accepts_epoch_ahead
            decision = decide_end(metadata, request, accepts_epoch_ahead=ahead)
        if decision is EndTxnDecision.ANSWER_AGAIN:
            answer = ProducerIdAndEpoch(metadata.producer_id, metadata.producer_epoch)
            return answer if bumps else NO_PRODUCER
        if metadata.pending_state is not None:
            metadata = self._give_way_to_abort(metadata, None if bumps else request.producer_epoch)
        rolls_over = bumps and metadata.is_producer_epoch_exhausted
        transit = metadata.prepare_abort_or_commit(
            TransactionState.PREPARE_COMMIT
            if request.is_commit
            else TransactionState.PREPARE_ABORT,
            request.client_transaction_version if bumps else 0,
            self._host.producer_ids.generate_producer_id(self._broker_id)
            if rolls_over
            else NO_PRODUCER_ID,
            now_ms,
            no_partition_added=decision is EndTxnDecision.ABORT_NOTHING,
        )
        transaction.metadata = metadata.begin_transition(transit)
        self._states.append(transaction, transit, now_ms)
        if not bumps and transit.producer_epoch != request.producer_epoch:
            # Releases that accept an epoch ahead fail only here: the markers are never sent.
            raise ApiError(
                ErrorCode.PRODUCER_FENCED,
                f"{request.transactional_id!r} is at epoch {transit.producer_epoch}",
            )
        completed = self.send_markers(transaction, now_ms)
        return (
            ProducerIdAndEpoch(completed.producer_id, completed.producer_epoch)
            if bumps
            else NO_PRODUCER
        )

    def send_markers(self, transaction: Transaction, now_ms: int) -> TxnTransitMetadata:
        """Queue the markers of a prepared transaction, and return its pending completion."""
        metadata = transaction.metadata
        transit = metadata.prepare_complete(now_ms)
        begun = metadata.begin_transition(transit)
        transaction.metadata = (
            begun._replace(has_failed_epoch_fence=False) if begun.has_failed_epoch_fence else begun
        )
        self._markers.add_txn_markers_to_send(transaction, transit, now_ms)
        return transit

    def fence_and_abort(self, transaction: Transaction, now_ms: int) -> None:
        """Abort an open transaction with an epoch that fences its producer.

        Raises:
            ApiError: the errors of an append to the log.

        """
        transit = transaction.metadata.prepare_fence_producer_epoch()
        self._states.begin(transaction, transit)
        request = EndTxnRequest(
            transaction.metadata.transactional_id,
            transit.producer_id,
            transit.producer_epoch,
            is_commit=False,
            client_transaction_version=self._host.options.transaction_version,
            is_from_client=False,
        )
        try:
            self._end(transaction, request, now_ms)
        except ApiError:
            transaction.metadata = transaction.metadata._replace(has_failed_epoch_fence=True)
            raise

    def _give_way_to_abort(
        self, metadata: TransactionMetadata, fencing_epoch: int | None
    ) -> TransactionMetadata:
        """Return the metadata without its pending fence, with the fencing epoch if there is one.

        If the end of the transaction bumps the epoch anyway, the fence does not.
        """
        without_fence = metadata.cancel_transition()
        if fencing_epoch is None:
            return without_fence
        keeps = self._host.options.transactions.fencing_keeps_last_epoch
        return without_fence._replace(
            producer_epoch=fencing_epoch,
            last_producer_epoch=metadata.producer_epoch if keeps else NO_PRODUCER_EPOCH,
        )
