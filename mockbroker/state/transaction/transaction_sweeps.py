"""The periodic sweeps of a coordinator: abort on timeout, and expire idle transactional ids.

Invariants:

1. A sweep takes expired entries in slices. A slice is short enough not to block the event loop, and
   the next one follows a millisecond later. No sweep iterates over all transactional ids.
2. A transaction is aborted by the first sweep at which it is older than its timeout, not earlier. A
   transaction with a pending transition waits for the next sweep.
3. An open transaction never expires. A transactional id that expires leaves a tombstone in the log.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from mockbroker.protocol.errors import ApiError
from mockbroker.state.deadlines import Deadlines
from mockbroker.state.sweep_timer import SweepTimer
from mockbroker.state.transaction.coordinator_host import CoordinatorHost
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.state.transaction.transaction_state_manager import (
    Transaction,
    TransactionStateManager,
)

ABORT_INTERVAL: Final = "transaction.abort.timed.out.transaction.cleanup.interval.ms"
EXPIRATION_INTERVAL: Final = "transaction.remove.expired.transaction.cleanup.interval.ms"
EXPIRATION: Final = "transactional.id.expiration.ms"

SLICE: Final = 16
"""The number of transactional ids that are aborted, or removed, in one slice."""


class TransactionSweeps:
    """The two sweeps of one coordinator, and their timers."""

    __slots__ = (
        "_abort_timer",
        "_broker_id",
        "_expiration_timer",
        "_expirations",
        "_fence_and_abort",
        "_host",
        "_states",
        "_timeouts",
    )

    def __init__(
        self,
        broker_id: int,
        host: CoordinatorHost,
        states: TransactionStateManager,
        fence_and_abort: Callable[[Transaction, int], None],
    ) -> None:
        """Start without transactional ids and without timers."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._states: Final = states
        self._fence_and_abort: Final = fence_and_abort
        self._timeouts = Deadlines[str]()
        self._expirations = Deadlines[str]()
        """Times of the last update; an id expires `transactional.id.expiration.ms` after it."""
        self._abort_timer: Final = SweepTimer(
            host.timers, f"transaction-abort {broker_id}", self._abort_slice
        )
        self._expiration_timer: Final = SweepTimer(
            host.timers, f"transactionalId-expiration {broker_id}", self._remove_slice
        )

    def startup(self, now_ms: int) -> None:
        """Start the sweeps, at the configured intervals."""
        self._abort_timer.startup(now_ms, self._config(ABORT_INTERVAL))
        self._expiration_timer.startup(now_ms, self._config(EXPIRATION_INTERVAL))
        self._expect_timeout(now_ms)
        self._expect_expiration(now_ms)

    def shutdown(self) -> None:
        """Stop the sweeps."""
        self._abort_timer.shutdown()
        self._expiration_timer.shutdown()

    # Watching

    def watch(self, metadata: TransactionMetadata, now_ms: int) -> None:
        """Watch a transactional id that was created or loaded."""
        updated_ms = metadata.last_update_timestamp_ms
        self._expirations.watch(metadata.transactional_id, updated_ms)
        self._expiration_timer.expect(updated_ms + self._config(EXPIRATION), now_ms)
        if metadata.state is TransactionState.ONGOING:
            self.watch_open(metadata, now_ms)

    def watch_open(self, metadata: TransactionMetadata, now_ms: int) -> None:
        """Watch a transaction that was begun."""
        if not metadata.is_two_phase_commit:
            deadline_ms = metadata.start_timestamp_ms + metadata.timeout_ms + 1
            self._timeouts.watch(metadata.transactional_id, deadline_ms)
            self._abort_timer.expect(deadline_ms, now_ms)

    # Sweeps

    def abort_timed_out_transactions(self, now_ms: int, *, limit: int | None = None) -> int:
        """Abort up to `limit` transactions past their timeout, and return their number.

        If the abort cannot be logged, the transaction stays as it is until the next sweep.
        """
        aborted = 0
        later: list[TransactionMetadata] = []
        while (limit is None or aborted < limit) and (
            transactional_id := self._timeouts.pop_due(now_ms)
        ):
            transaction = self._states.find(transactional_id)
            if transaction is None or transaction.metadata.state is not TransactionState.ONGOING:
                continue
            if self._is_timed_out(transaction.metadata, now_ms):
                with suppress(ApiError):
                    self._fence_and_abort(transaction, now_ms)
                aborted += 1
            if transaction.metadata.state is TransactionState.ONGOING:
                later.append(transaction.metadata)
        for metadata in later:
            self.watch_open(metadata, now_ms)
        return aborted

    @staticmethod
    def _is_timed_out(metadata: TransactionMetadata, now_ms: int) -> bool:
        return (
            metadata.pending_state is None
            and not metadata.is_two_phase_commit
            and metadata.start_timestamp_ms + metadata.timeout_ms < now_ms
        )

    def remove_expired_transactional_ids(self, now_ms: int, *, limit: int | None = None) -> int:
        """Remove up to `limit` expired transactional ids, and return their number.

        If the tombstone cannot be logged, the transactional id stays until the next sweep.
        """
        updated_until_ms = now_ms - self._config(EXPIRATION)
        removed = 0
        later: list[TransactionMetadata] = []
        while (limit is None or removed < limit) and (
            transactional_id := self._expirations.pop_due(updated_until_ms)
        ):
            transaction = self._states.find(transactional_id)
            if transaction is None:
                continue
            if not self._is_expired(transaction.metadata, updated_until_ms):
                later.append(transaction.metadata)
                continue
            removed += 1
            if not self._remove_expired(transaction, now_ms):
                later.append(transaction.metadata)
        for metadata in later:
            self._expirations.watch(metadata.transactional_id, metadata.last_update_timestamp_ms)
        return removed

    def expire(self, transactional_id: str, now_ms: int) -> bool:
        """Remove a transactional id of any age; return False if its tombstone was not logged.

        It must be known, without an open transaction or a pending transition.
        """
        transaction = self._states.find(transactional_id)
        assert transaction is not None, transactional_id
        assert self._is_expired(transaction.metadata, now_ms), transaction.metadata
        return self._remove_expired(transaction, now_ms)

    @staticmethod
    def _is_expired(metadata: TransactionMetadata, updated_until_ms: int) -> bool:
        return (
            metadata.pending_state is None
            and metadata.state.is_expiration_allowed
            and metadata.last_update_timestamp_ms <= updated_until_ms
        )

    def _remove_expired(self, transaction: Transaction, now_ms: int) -> bool:
        self._states.begin(transaction, transaction.metadata.prepare_dead())
        try:
            self._states.append_tombstone(transaction, now_ms)
        except ApiError:
            return False
        if self._states.is_current(transaction):
            self._states.remove(transaction)
        return True

    # Slices

    def _abort_slice(self, now_ms: int) -> bool:
        more = self.abort_timed_out_transactions(now_ms, limit=SLICE) == SLICE
        if not more:
            self._expect_timeout(now_ms)
        return more

    def _remove_slice(self, now_ms: int) -> bool:
        more = self.remove_expired_transactional_ids(now_ms, limit=SLICE) == SLICE
        if not more:
            self._expect_expiration(now_ms)
        return more

    def _expect_timeout(self, now_ms: int) -> None:
        deadline_ms = self._timeouts.next_deadline_ms()
        if deadline_ms is not None:
            self._abort_timer.expect(deadline_ms, now_ms)

    def _expect_expiration(self, now_ms: int) -> None:
        updated_ms = self._expirations.next_deadline_ms()
        if updated_ms is not None:
            self._expiration_timer.expect(updated_ms + self._config(EXPIRATION), now_ms)

    def _config(self, name: str) -> int:
        return self._host.configs.broker_integer(name, self._broker_id)
