"""The markers that end transactions: written after the answer, as named pending work.

Invariants:

1. `WriteTxnMarkers <id>` writes the marker to every partition of a prepared transaction, and
   `CompleteTransaction <id>` then logs the completion. Both wait in the cluster's queue of pending
   work: until they have run, requests for the transactional id get CONCURRENT_TRANSACTIONS.
2. A partition leaves the transaction when its marker is written, or if it was deleted or does not
   support transactions. The others are retried until the coordinator moves.
3. Markers and completions that a test holds (`HeldEndings`) wait for `resume` or `step` only. With
   a delay, `WriteTxnMarkers <id>` is a timer instead of pending work.
4. A marker that is fenced by a newer producer or coordinator ends the writing for good.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.transaction.coordinator_host import CoordinatorHost
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.state.transaction.transaction_state_manager import (
    Transaction,
    TransactionStateManager,
)
from mockbroker.state.transaction.txn_transit_metadata import TxnTransitMetadata

RETRY_BACKOFF_MS: Final = 100
"""The delay between a failure and the retry."""
RETRIES_IN_A_ROW: Final = 100
"""The number of failed retries after which each one doubles the delay.

Otherwise a jump of the clock by a week would run six million retries while nothing changes.
"""
_DOUBLINGS_MAX: Final = 12

_RETRIED: Final = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    }
)
_FENCED: Final = frozenset(
    {ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.TRANSACTION_COORDINATOR_FENCED}
)
_WITHOUT_TRANSACTIONS: Final = frozenset(
    {ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, ErrorCode.UNSUPPORTED_VERSION}
)
_LOGGED_AGAIN: Final = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
        # In Kafka this means a failed disk; here, that memory is full at the moment.
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)
_ABANDONED_COMPLETION: Final = frozenset(
    {ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}
)


class PendingCompleteTxn(NamedTuple):
    """A transaction whose markers are being written, and its completion."""

    transaction: Transaction
    transit: TxnTransitMetadata
    marker: EndTxnMarker


class TransactionMarkerChannel:
    """One coordinator's queue of markers (Kafka's `TransactionMarkerChannelManager`)."""

    __slots__ = ("_host", "_pending", "_retries", "_states")

    def __init__(self, host: CoordinatorHost, states: TransactionStateManager) -> None:
        """Start with an empty queue."""
        self._host: Final = host
        self._states: Final = states
        self._pending: dict[str, PendingCompleteTxn] = {}
        self._retries: dict[str, int] = {}
        """The retries of each pending transaction since the last change of leaders or replicas."""

    def __len__(self) -> int:
        """Count the transactions whose markers or completion are still to be written."""
        return len(self._pending)

    def add_txn_markers_to_send(
        self, transaction: Transaction, transit: TxnTransitMetadata, now_ms: int
    ) -> None:
        """Queue the markers of a prepared transaction; after them `transit` is logged."""
        metadata = transaction.metadata
        marker = EndTxnMarker(
            metadata.producer_id,
            metadata.producer_epoch,
            transaction.owner.coordinator_epoch,
            metadata.state is TransactionState.PREPARE_COMMIT,
        )
        pending = PendingCompleteTxn(transaction, transit, marker)
        self._pending[metadata.transactional_id] = pending
        delay_ms = self._host.held_endings.delay.of_next_ms()
        if delay_ms:
            self._schedule("WriteTxnMarkers", pending, self._write_markers, now_ms + delay_ms)
        else:
            self._defer("WriteTxnMarkers", pending, self._write_markers)

    def remove_markers_for_partition(self, partition_index: int) -> None:
        """Drop the queued markers for transactional ids of a partition of the transaction log."""
        for transactional_id, pending in list(self._pending.items()):
            if pending.transaction.owner.index == partition_index:
                self._cancel(transactional_id)

    # Steps

    def _write_markers(self, pending: PendingCompleteTxn, now_ms: int) -> None:
        transaction = pending.transaction
        transactional_id = transaction.metadata.transactional_id
        if self._is_obsolete(pending):
            return
        written: set[TopicPartition] = set()
        fenced = retried = False
        for topic_partition in sorted(transaction.metadata.partitions):
            if self._host.held_endings.holds_marker(transactional_id, topic_partition):
                continue
            code = self._write_marker(pending, topic_partition, now_ms)
            if code in _FENCED:
                fenced = True
            elif code in _RETRIED:
                retried = True
            else:
                written.add(topic_partition)
        if written:
            transaction.metadata = transaction.metadata.without_partitions(written)
        if fenced:
            self._cancel(transactional_id)
        elif retried:
            self._retry("WriteTxnMarkers", pending, self._write_markers, now_ms)
        elif not transaction.metadata.partitions:
            self._defer("CompleteTransaction", pending, self._complete)

    def leaders_changed(self) -> None:
        """Queue immediate retries of work that waits for a leader or its replicas."""
        waiting, self._retries = self._retries, {}
        for transactional_id in waiting:
            for step in ("WriteTxnMarkers", "CompleteTransaction"):
                pending = self._pending.get(transactional_id)
                if self._host.timers.cancel(f"{step} {transactional_id}") and pending is not None:
                    run = self._write_markers if step == "WriteTxnMarkers" else self._complete
                    self._defer(step, pending, run)

    def resume(self, transactional_id: str) -> None:
        """Queue the held work of a transactional id, if there is any."""
        pending = self._pending.get(transactional_id)
        if pending is not None:
            self._defer("WriteTxnMarkers", pending, self._write_markers)

    def step(self, transactional_id: str, now_ms: int) -> str | None:
        """Do the next held step, a marker or the completion, and return its name.

        Return None if this transactional id has no step left.
        """
        pending = self._pending.get(transactional_id)
        if pending is None:
            return None
        transaction = pending.transaction
        left = sorted(transaction.metadata.partitions)
        if not left:
            self._log_completion(pending, now_ms)
            return f"CompleteTransaction {transactional_id}"
        code = self._write_marker(pending, left[0], now_ms)
        if code in _FENCED:
            self._cancel(transactional_id)
        elif code not in _RETRIED:
            transaction.metadata = transaction.metadata.without_partitions({left[0]})
        return f"WriteTxnMarkers {transactional_id} {left[0]}"

    def _write_marker(
        self, pending: PendingCompleteTxn, topic_partition: TopicPartition, now_ms: int
    ) -> ErrorCode:
        partition = self._host.partition(topic_partition.topic, topic_partition.partition)
        if partition is None:
            return ErrorCode.NONE  # deleted, with the transaction's records
        try:
            self._host.append_end_txn_marker(
                partition,
                pending.marker,
                transaction_version=pending.transaction.metadata.client_transaction_version,
                now_ms=now_ms,
            )
        except ApiError as refusal:
            if refusal.code in _WITHOUT_TRANSACTIONS:
                return ErrorCode.NONE
            if refusal.code in _FENCED or refusal.code in _RETRIED:
                return refusal.code
            raise
        return ErrorCode.NONE

    def _complete(self, pending: PendingCompleteTxn, now_ms: int) -> None:
        transactional_id = pending.transaction.metadata.transactional_id
        if self._is_obsolete(pending) or self._host.held_endings.holds_completion(transactional_id):
            return
        self._log_completion(pending, now_ms)

    def _log_completion(self, pending: PendingCompleteTxn, now_ms: int) -> None:
        try:
            self._states.append(
                pending.transaction,
                pending.transit,
                now_ms,
                keeps_pending_for=_LOGGED_AGAIN,
            )
        except ApiError as refusal:
            waits = pending.transaction.metadata.pending_state is not None
            if waits and not self._is_obsolete(pending):
                self._retry("CompleteTransaction", pending, self._complete, now_ms)
                return
            self._cancel(pending.transaction.metadata.transactional_id)
            if refusal.code not in _ABANDONED_COMPLETION:
                raise
        else:
            del self._pending[pending.transaction.metadata.transactional_id]
            self._retries.pop(pending.transaction.metadata.transactional_id, None)

    # Queue

    def _is_obsolete(self, pending: PendingCompleteTxn) -> bool:
        transactional_id = pending.transaction.metadata.transactional_id
        return self._pending.get(transactional_id) is not pending

    def _cancel(self, transactional_id: str) -> None:
        self._pending.pop(transactional_id, None)
        self._retries.pop(transactional_id, None)
        for step in ("WriteTxnMarkers", "CompleteTransaction"):
            self._host.timers.cancel(f"{step} {transactional_id}")

    def _defer(
        self,
        step: str,
        pending: PendingCompleteTxn,
        run: Callable[[PendingCompleteTxn, int], None],
    ) -> None:
        transactional_id = pending.transaction.metadata.transactional_id
        self._host.defer(f"{step} {transactional_id}", partial(run, pending))

    def _retry(
        self,
        step: str,
        pending: PendingCompleteTxn,
        run: Callable[[PendingCompleteTxn, int], None],
        now_ms: int,
    ) -> None:
        transactional_id = pending.transaction.metadata.transactional_id
        retries = self._retries.get(transactional_id, 0)
        self._retries[transactional_id] = retries + 1
        doublings = min(max(0, retries - RETRIES_IN_A_ROW), _DOUBLINGS_MAX)
        self._schedule(step, pending, run, now_ms + (RETRY_BACKOFF_MS << doublings))

    def _schedule(
        self,
        step: str,
        pending: PendingCompleteTxn,
        run: Callable[[PendingCompleteTxn, int], None],
        deadline_ms: int,
    ) -> None:
        transactional_id = pending.transaction.metadata.transactional_id
        self._host.timers.schedule(f"{step} {transactional_id}", deadline_ms, partial(run, pending))

    # State as text

    def as_text(self) -> list[str]:
        """Return the queued markers as text in a stable form."""
        return [
            f"to write {pending.marker} for {transactional_id!r}"
            for transactional_id, pending in sorted(self._pending.items())
        ]
