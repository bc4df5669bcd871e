"""The transactional ids of the partitions of `__transaction_state` that a broker leads.

Invariants:

1. A partition is not owned, loading, or owned. While it is loading, every request for it gets
   COORDINATOR_LOAD_IN_PROGRESS; while it is not owned, NOT_COORDINATOR.
2. A transition is begun, appended to the log, completed, in this order. A failed append leaves the
   state as it was, with nothing pending.
3. Code that keeps a `Transaction` across a step in which the partition may have moved must check
   `is_current`.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.coordinator.coordinator_log import APPEND_REFUSALS
from mockbroker.state.release.transaction_options import TransactionOptions
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import TRANSACTION_STATE
from mockbroker.state.transaction.coordinator_host import CoordinatorHost
from mockbroker.state.transaction.transaction_log import TransactionLog
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.state.transaction.txn_transit_metadata import TxnTransitMetadata


class TransactionPartition:
    """A partition of the transaction log whose transactional ids this broker coordinates."""

    __slots__ = ("coordinator_epoch", "index", "transactions")

    def __init__(self, index: int, coordinator_epoch: int) -> None:
        """Start without transactional ids; `coordinator_epoch` is the partition's leader epoch."""
        self.index = index
        self.coordinator_epoch = coordinator_epoch
        self.transactions: dict[str, Transaction] = {}


class Transaction:
    """A transactional id in its partition; its metadata is replaced, never changed."""

    __slots__ = ("metadata", "owner")

    def __init__(self, metadata: TransactionMetadata, owner: TransactionPartition) -> None:
        """Create a transactional id in a partition."""
        self.metadata = metadata
        self.owner = owner


class TransactionStateManager:
    """The transactional ids that one broker coordinates (Kafka's `TransactionStateManager`)."""

    __slots__ = ("_host", "_loading", "_log", "_owned", "_transactions")

    def __init__(self, host: CoordinatorHost, log: TransactionLog) -> None:
        """Start without partitions."""
        self._host: Final = host
        self._log: Final = log
        self._loading: dict[int, int] = {}
        self._owned: dict[int, TransactionPartition] = {}
        self._transactions: dict[str, Transaction] = {}

    # Partitions

    def partition_for(self, transactional_id: str) -> int:
        """Return the partition of `__transaction_state` of a transactional id."""
        return coordinator_partition(TRANSACTION_STATE, transactional_id, self._host.configs)

    @property
    def is_loading(self) -> bool:
        """True if any partition is being loaded."""
        return bool(self._loading)

    def own(self, partition_index: int, coordinator_epoch: int) -> None:
        """Own a partition without records."""
        self._owned[partition_index] = TransactionPartition(partition_index, coordinator_epoch)

    def start_loading(self, partition_index: int, coordinator_epoch: int) -> None:
        """Mark a partition as loading: its transactional ids are unknown until `load` has run."""
        self._forget(partition_index)
        self._loading[partition_index] = coordinator_epoch

    def load(self, partition_index: int, coordinator_epoch: int) -> list[Transaction] | None:
        """Read a partition and own it; None if it has moved in the meantime."""
        if self._loading.get(partition_index) != coordinator_epoch:
            return None
        values: dict[str, TransactionMetadata] = {}
        for transactional_id, value in self._log.read(partition_index):
            if value is None:
                values.pop(transactional_id, None)
            else:
                values[transactional_id] = TransactionMetadata.from_log(transactional_id, value)
        owner = TransactionPartition(partition_index, coordinator_epoch)
        for transactional_id, metadata in values.items():
            owner.transactions[transactional_id] = Transaction(metadata, owner)
        self._owned[partition_index] = owner
        self._transactions.update(owner.transactions)
        del self._loading[partition_index]
        return list(owner.transactions.values())

    def release(self, partition_index: int, coordinator_epoch: int | None) -> bool:
        """Give up a partition, unless the epoch is older than the one under which it is owned.

        Without an epoch the partition was deleted. Return False if the partition is still owned.
        """
        owner = self._owned.get(partition_index)
        held = owner.coordinator_epoch if owner else self._loading.get(partition_index, -1)
        if coordinator_epoch is not None and coordinator_epoch < held:
            return False
        self._forget(partition_index)
        return True

    def _forget(self, partition_index: int) -> None:
        self._loading.pop(partition_index, None)
        owner = self._owned.pop(partition_index, None)
        for transactional_id in owner.transactions if owner is not None else ():
            del self._transactions[transactional_id]

    # Transactional ids

    def get(self, transactional_id: str) -> Transaction | None:
        """Return a transactional id, or None if it is unknown.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR.

        """
        found = self._transactions.get(transactional_id)
        if found is None:
            self._owner_of(transactional_id)
        return found

    def find(self, transactional_id: str) -> Transaction | None:
        """Return a transactional id, or None if it is unknown or its partition is not owned."""
        return self._transactions.get(transactional_id)

    def put_if_absent(self, metadata: TransactionMetadata) -> Transaction:
        """Return a transactional id, created with this metadata if it was unknown.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR.

        """
        transactional_id = metadata.transactional_id
        found = self._transactions.get(transactional_id)
        if found is None:
            owner = self._owner_of(transactional_id)
            found = Transaction(metadata, owner)
            owner.transactions[transactional_id] = self._transactions[transactional_id] = found
        return found

    def remove(self, transaction: Transaction) -> None:
        """Remove a transactional id."""
        transactional_id = transaction.metadata.transactional_id
        del transaction.owner.transactions[transactional_id]
        del self._transactions[transactional_id]

    def is_current(self, transaction: Transaction) -> bool:
        """Return whether the broker still owns this transaction, whose partition may have moved."""
        return self._transactions.get(transaction.metadata.transactional_id) is transaction

    def __len__(self) -> int:
        """Count the transactional ids."""
        return len(self._transactions)

    def __iter__(self) -> Iterator[Transaction]:
        """Yield all transactional ids, partition by partition."""
        for owner in self._owned.values():
            yield from owner.transactions.values()

    def _owner_of(self, transactional_id: str) -> TransactionPartition:
        partition_index = self.partition_for(transactional_id)
        if partition_index in self._loading:
            raise ApiError(
                ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
                f"{TRANSACTION_STATE}-{partition_index} of {transactional_id!r} is being loaded",
            )
        owner = self._owned.get(partition_index)
        if owner is None:
            raise ApiError(
                ErrorCode.NOT_COORDINATOR,
                f"this broker does not lead {TRANSACTION_STATE}-{partition_index} of "
                f"{transactional_id!r}",
            )
        return owner

    # Transitions

    def begin(self, transaction: Transaction, transit: TxnTransitMetadata) -> None:
        """Mark a prepared transition as pending."""
        transaction.metadata = transaction.metadata.begin_transition(transit)

    def append(
        self,
        transaction: Transaction,
        transit: TxnTransitMetadata,
        now_ms: int,
        *,
        keeps_pending_for: AbstractSet[ErrorCode] = frozenset(),
    ) -> None:
        """Append the pending transition to the log, and complete it.

        `keeps_pending_for` are codes of the log after which the caller retries.

        Raises:
            ApiError: the code for clients if the log refuses (`APPEND_REFUSALS`); NOT_COORDINATOR
                or COORDINATOR_LOAD_IN_PROGRESS if the partition moved; UNSUPPORTED_VERSION if the
                records of this cluster's transaction.version cannot represent the transition.

        """
        self._require_current(transaction)
        options = self._host.options
        if transit.client_transaction_version and not options.transaction_log_value_version:
            # Kafka fails while it writes the record, after it has set the pending state, and never
            # resets that: the transactional id cannot be used until it is loaded again.
            raise ApiError(
                ErrorCode.UNSUPPORTED_VERSION,
                "records of transaction.version 0 have no ClientTransactionVersion",
            )
        value = transit.to_log_value(holds_last_epoch=options.transaction_log_holds_last_epoch)
        owner = transaction.owner
        transactional_id = transaction.metadata.transactional_id
        try:
            self._log.append(
                owner.index,
                transactional_id,
                value,
                coordinator_epoch=owner.coordinator_epoch,
                now_ms=now_ms,
            )
        except ApiError as refusal:
            code = APPEND_REFUSALS.get(refusal.code, refusal.code)
            if refusal.code not in keeps_pending_for:
                transaction.metadata = transaction.metadata.cancel_transition()
            raise ApiError(code, refusal.why) from refusal
        if self._transactions.get(transactional_id) is not transaction:
            self._require_current(transaction)
        before = transaction.metadata
        completed = before.complete_transition(transit)
        transaction.metadata = _remembering(before, completed, options.transactions)
        self._report(owner, before, transaction.metadata)

    def append_tombstone(self, transaction: Transaction, now_ms: int) -> None:
        """Append the tombstone of a removed transactional id.

        Raises:
            ApiError: as `append`.

        """
        owner = transaction.owner
        transactional_id = transaction.metadata.transactional_id
        try:
            self._log.append(
                owner.index,
                transactional_id,
                None,
                coordinator_epoch=owner.coordinator_epoch,
                now_ms=now_ms,
            )
        except ApiError as refusal:
            transaction.metadata = transaction.metadata.cancel_transition()
            code = APPEND_REFUSALS.get(refusal.code, refusal.code)
            raise ApiError(code, refusal.why) from refusal
        self._report(owner, transaction.metadata, None)

    def _report(
        self,
        owner: TransactionPartition,
        before: TransactionMetadata,
        after: TransactionMetadata | None,
    ) -> None:
        reporter = self._host.observation.reporter
        home = self._host.partition(TRANSACTION_STATE, owner.index) if reporter else None
        if reporter is not None and home is not None:
            where = (home.leader_id, owner.index, owner.coordinator_epoch)
            reporter.transaction_changed(where, before, after)

    def _require_current(self, transaction: Transaction) -> None:
        if self.is_current(transaction):
            return
        transactional_id = transaction.metadata.transactional_id
        self.get(transactional_id)
        raise ApiError(
            ErrorCode.NOT_COORDINATOR, f"the partition of {transactional_id!r} was reloaded"
        )

    # State as text

    def as_text(self) -> list[str]:
        """Return everything owned as text in a stable form."""
        lines = [
            f"loading {TRANSACTION_STATE}-{index} epoch {coordinator_epoch}"
            for index, coordinator_epoch in sorted(self._loading.items())
        ]
        for index, owner in sorted(self._owned.items()):
            lines.append(f"owns {TRANSACTION_STATE}-{index} epoch {owner.coordinator_epoch}")
            lines += [
                _text(transaction.metadata) for _, transaction in sorted(owner.transactions.items())
            ]
        return lines


def _remembering(
    before: TransactionMetadata, completed: TransactionMetadata, options: TransactionOptions
) -> TransactionMetadata:
    """Return the completed metadata, with the earlier values that older releases retain."""
    if completed.state is TransactionState.EMPTY:
        if options.start_outlives_initialisation:
            return completed._replace(start_timestamp_ms=before.start_timestamp_ms)
    elif options.previous_producer_id_stays:
        return completed._replace(previous_producer_id=before.previous_producer_id)
    return completed


def _text(metadata: TransactionMetadata) -> str:
    partitions = ",".join(str(partition) for partition in sorted(metadata.partitions))
    return f"{metadata._replace(partitions=frozenset())} in [{partitions}]"
