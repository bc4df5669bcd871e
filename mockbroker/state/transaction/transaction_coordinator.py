"""The transaction coordinator of a broker: assigns epochs, opens and ends transactions (KIP-98).

Invariants:

1. Every change is prepared, logged, then completed. A refusal before the append changes nothing,
   and a refusal by the log leaves the state as it was.
2. A wrong epoch gets PRODUCER_FENCED here. The handlers, which know the version of the request,
   answer older versions with INVALID_PRODUCER_EPOCH.
3. Writing markers and loading are pending work: a real coordinator does them a moment later.
"""

from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, TRANSACTION_STATE
from mockbroker.state.transaction.coordinator_host import CoordinatorHost
from mockbroker.state.transaction.end_txn import EndTxnRequest
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch
from mockbroker.state.transaction.producer_initialisation import (
    InitProducerIdRequest,
    ProducerInitialisation,
)
from mockbroker.state.transaction.transaction_ending import TransactionEnding
from mockbroker.state.transaction.transaction_log import TransactionLog
from mockbroker.state.transaction.transaction_marker_channel import TransactionMarkerChannel
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import PREPARED, TransactionState
from mockbroker.state.transaction.transaction_state_manager import (
    Transaction,
    TransactionStateManager,
)
from mockbroker.state.transaction.transaction_sweeps import TransactionSweeps


class TransactionCoordinator:
    """One broker's coordinator (Kafka's `TransactionCoordinator`).

    All times are in milliseconds since 1970. Wrong epochs get PRODUCER_FENCED here; handlers answer
    requests older than InitProducerId v4, AddPartitionsToTxn v2, AddOffsetsToTxn v2 and EndTxn v2
    with INVALID_PRODUCER_EPOCH.
    """

    __slots__ = (
        "_ending",
        "_host",
        "_initialisation",
        "_sweeps",
        "broker_id",
        "is_active",
        "markers",
        "states",
    )

    def __init__(self, broker_id: int, host: CoordinatorHost, log: TransactionLog) -> None:
        """Create a coordinator without partitions; `startup` sets its timers."""
        self.broker_id: Final = broker_id
        self.is_active = True
        """False while the broker is shut down; describe and list are then not available."""
        self.states: Final = TransactionStateManager(host, log)
        self.markers: Final = TransactionMarkerChannel(host, self.states)
        self._host: Final = host
        self._ending: Final = TransactionEnding(broker_id, host, self.states, self.markers)
        self._sweeps: Final = TransactionSweeps(
            broker_id, host, self.states, self._ending.fence_and_abort
        )
        self._initialisation: Final = ProducerInitialisation(
            broker_id, host, self.states, self._ending, self._sweeps.watch
        )

    # Lifecycle

    def startup(self, now_ms: int) -> None:
        """Become active, and set the timers for timeouts and expiration."""
        self.is_active = True
        self._sweeps.startup(now_ms)

    def shutdown(self) -> None:
        """Become inactive, and cancel the timers."""
        self.is_active = False
        self._sweeps.shutdown()

    def on_creation(self, partition_index: int, coordinator_epoch: int) -> None:
        """Own a new partition of `__transaction_state`, which has no records to load."""
        self.states.own(partition_index, coordinator_epoch)

    def on_election(self, partition_index: int, coordinator_epoch: int) -> None:
        """Take over a partition of `__transaction_state`, under its leader epoch.

        Loading is pending work (`LoadTransactions __transaction_state-<n>`). Until it has run,
        requests for its transactional ids get COORDINATOR_LOAD_IN_PROGRESS.
        """
        self.markers.remove_markers_for_partition(partition_index)
        self.states.start_loading(partition_index, coordinator_epoch)
        self._host.defer(
            f"LoadTransactions {TRANSACTION_STATE}-{partition_index}",
            partial(self._load, partition_index, coordinator_epoch),
        )

    def on_resignation(self, partition_index: int, coordinator_epoch: int | None = None) -> None:
        """Give up a partition of `__transaction_state` with a new leader, or that was deleted.

        `coordinator_epoch` is the leader epoch of the new leader.
        """
        if self.states.release(partition_index, coordinator_epoch):
            self.markers.remove_markers_for_partition(partition_index)

    def _load(self, partition_index: int, coordinator_epoch: int, now_ms: int) -> None:
        for transaction in self.states.load(partition_index, coordinator_epoch) or ():
            self._sweeps.watch(transaction.metadata, now_ms)
            if transaction.metadata.state in PREPARED:
                self._ending.send_markers(transaction, now_ms)

    # InitProducerId

    def init_producer_id(
        self,
        transactional_id: str | None,
        timeout_ms: int,
        now_ms: int,
        *,
        expected: ProducerIdAndEpoch | None = None,
        enable_2pc: bool = False,
        keep_prepared_txn: bool = False,
    ) -> ProducerIdAndEpoch:
        """Return a producer's id and new epoch, or a new id if it has no transactional id.

        `expected` is the id and epoch of a producer that continues (KIP-360). An open transaction
        is aborted first (CONCURRENT_TRANSACTIONS). KIP-939: `enable_2pc`, `keep_prepared_txn`.

        Raises:
            ApiError: INVALID_REQUEST, TRANSACTIONAL_ID_AUTHORIZATION_FAILED, UNSUPPORTED_VERSION,
                INVALID_TRANSACTION_TIMEOUT, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR,
                CONCURRENT_TRANSACTIONS, PRODUCER_FENCED, UNKNOWN_SERVER_ERROR if no epochs are left
                and the producer sends another one, and the errors of an append to the log.

        """
        initialisation = self._initialisation
        if transactional_id is None:
            return ProducerIdAndEpoch(initialisation.generate_producer_id(), 0)
        request = InitProducerIdRequest(
            transactional_id, timeout_ms, expected, enable_2pc, keep_prepared_txn
        )
        return initialisation.init_producer_id(request, now_ms)

    # AddPartitionsToTxn, AddOffsetsToTxn

    def add_partitions_to_transaction(
        self,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        partitions: AbstractSet[TopicPartition],
        now_ms: int,
        *,
        client_transaction_version: int = 0,
    ) -> None:
        """Add partitions to the open transaction, or open one with them.

        `client_transaction_version` is 2 for AddPartitionsToTxn from v4 on and for partitions that
        Produce v12 adds implicitly, else 0.

        Raises:
            ApiError: INVALID_REQUEST, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR,
                INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED, CONCURRENT_TRANSACTIONS, and the
                errors of an append to the log.

        """
        transaction = self._known(transactional_id)
        metadata = transaction.metadata
        if (
            metadata.pending_state is not None
            and self._host.options.transactions.adding_awaits_pending_first
        ):
            metadata.require_no_transition()
        _require_producer(metadata, producer)
        metadata.require_no_transition()
        is_open = metadata.state is TransactionState.ONGOING
        if is_open and partitions <= metadata.partitions:
            return
        transit = metadata.prepare_add_partitions(partitions, now_ms, client_transaction_version)
        self.states.begin(transaction, transit)
        self.states.append(transaction, transit, now_ms)
        if not is_open:
            self._sweeps.watch_open(transaction.metadata, now_ms)

    def add_offsets_to_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, group_id: str, now_ms: int
    ) -> None:
        """Add the partition of `__consumer_offsets` that stores a group's offsets.

        Raises:
            ApiError: as `add_partitions_to_transaction`.

        """
        index = coordinator_partition(CONSUMER_OFFSETS, group_id, self._host.configs)
        self.add_partitions_to_transaction(
            transactional_id, producer, {TopicPartition(CONSUMER_OFFSETS, index)}, now_ms
        )

    def verify_partitions_in_transaction(
        self,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        partitions: AbstractSet[TopicPartition],
    ) -> dict[TopicPartition, ErrorCode]:
        """Return NONE for each partition in the open transaction, else the release's error.

        A pending transition does not matter, because the append of the records checks again.
        (KIP-890)

        Raises:
            ApiError: for all partitions together: INVALID_REQUEST, COORDINATOR_LOAD_IN_PROGRESS,
                NOT_COORDINATOR, INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED,
                CONCURRENT_TRANSACTIONS.

        """
        metadata = self._known(transactional_id).metadata
        _require_producer(metadata, producer)
        metadata.require_not_prepared()
        unverified = self._host.options.transactions.unverified_code
        return {
            partition: ErrorCode.NONE if partition in metadata.partitions else unverified
            for partition in partitions
        }

    def _known(self, transactional_id: str) -> Transaction:
        if not transactional_id:
            raise ApiError(ErrorCode.INVALID_REQUEST, "the transactional id is empty")
        transaction = self.states.get(transactional_id)
        if transaction is None:
            raise ApiError(
                ErrorCode.INVALID_PRODUCER_ID_MAPPING, f"{transactional_id!r} is not known"
            )
        return transaction

    # EndTxn

    def end_transaction(
        self,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        *,
        is_commit: bool,
        now_ms: int,
        client_transaction_version: int = 0,
    ) -> ProducerIdAndEpoch:
        """Commit or abort a transaction, and return the producer's id and epoch after it.

        `client_transaction_version` is 2 for EndTxn from v5 on, else 0; with 0 the answer is
        (-1, -1). The markers are pending work (`WriteTxnMarkers <id>`, `CompleteTransaction <id>`).

        Raises:
            ApiError: INVALID_REQUEST, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR,
                INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED, CONCURRENT_TRANSACTIONS,
                INVALID_TXN_STATE, UNSUPPORTED_VERSION for v5 at transaction.version 0, and the
                errors of an append to the log.

        """
        request = EndTxnRequest(transactional_id, *producer, is_commit, client_transaction_version)
        return self._ending.end_transaction(request, now_ms)

    def abort_over_producer(self, transactional_id: str, now_ms: int) -> None:
        """Abort an open transaction with an epoch that fences its producer, as a timeout does.

        Raises:
            ApiError: INVALID_REQUEST, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR,
                INVALID_PRODUCER_ID_MAPPING, INVALID_TXN_STATE if none is open,
                CONCURRENT_TRANSACTIONS, and the errors of an append to the log.

        """
        transaction = self._known(transactional_id)
        transaction.metadata.require_no_transition()
        if transaction.metadata.state is not TransactionState.ONGOING:
            state = transaction.metadata.state.state_name
            raise ApiError(ErrorCode.INVALID_TXN_STATE, f"{transactional_id!r} is {state}")
        self._ending.fence_and_abort(transaction, now_ms)

    # Sweeps

    def abort_timed_out_transactions(self, now_ms: int) -> int:
        """Abort transactions that are open for longer than their timeout; return their number."""
        return self._sweeps.abort_timed_out_transactions(now_ms)

    def remove_expired_transactional_ids(self, now_ms: int) -> int:
        """Remove transactional ids that have expired; return their number."""
        return self._sweeps.remove_expired_transactional_ids(now_ms)

    def expire_transactional_id(self, transactional_id: str, now_ms: int) -> bool:
        """Remove a transactional id without an open transaction; False if the append failed."""
        return self._sweeps.expire(transactional_id, now_ms)

    # DescribeTransactions, ListTransactions, DescribeTransactionState

    def describe_transaction(self, transactional_id: str) -> TransactionMetadata:
        """Return the metadata of a transactional id.

        Raises:
            ApiError: COORDINATOR_NOT_AVAILABLE, INVALID_REQUEST, COORDINATOR_LOAD_IN_PROGRESS,
                NOT_COORDINATOR, TRANSACTIONAL_ID_NOT_FOUND.

        """
        self.require_active()
        if not transactional_id:
            raise ApiError(ErrorCode.INVALID_REQUEST, "the transactional id is empty")
        transaction = self.states.get(transactional_id)
        if transaction is None:
            raise ApiError(
                ErrorCode.TRANSACTIONAL_ID_NOT_FOUND, f"{transactional_id!r} is not known"
            )
        return transaction.metadata

    def transaction_state_of(self, transactional_id: str) -> TransactionMetadata | None:
        """Return the metadata for DescribeTransactionState, or None (KIP-360's draft).

        Raises:
            ApiError: COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR.

        """
        self.require_active()
        transaction = self.states.get(transactional_id)
        return None if transaction is None else transaction.metadata

    def require_active(self) -> None:
        """Check that the broker is running.

        Raises:
            ApiError: COORDINATOR_NOT_AVAILABLE.

        """
        if not self.is_active:
            raise ApiError(
                ErrorCode.COORDINATOR_NOT_AVAILABLE, f"broker {self.broker_id} is shut down"
            )

    def as_text(self) -> list[str]:
        """Return the coordinator's state as text in a stable form, for `ClusterState.as_text`."""
        return self.states.as_text() + self.markers.as_text()


def _require_producer(metadata: TransactionMetadata, producer: ProducerIdAndEpoch) -> None:
    if metadata.producer_id != producer.producer_id:
        raise ApiError(
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            f"{metadata.transactional_id!r} has producer id {metadata.producer_id},"
            f" not {producer.producer_id}",
        )
    if metadata.producer_epoch != producer.producer_epoch:
        raise ApiError(
            ErrorCode.PRODUCER_FENCED,
            f"{metadata.transactional_id!r} is at epoch {metadata.producer_epoch},"
            f" not {producer.producer_epoch}",
        )
