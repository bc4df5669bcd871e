"""The check that a logged transition fits the metadata that it completes.

Kafka checks this before it completes a transition: the epoch has changed as this transition changes
it, no partition was lost, and the timeout is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.types import NO_TIMESTAMP
from mockbroker.state.transaction.producer_epochs import supports_epoch_bump
from mockbroker.state.transaction.transaction_state import (
    BETWEEN_TRANSACTIONS,
    PREPARED,
    TransactionState,
)

if TYPE_CHECKING:
    from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
    from mockbroker.state.transaction.txn_transit_metadata import TxnTransitMetadata

_COMPLETED: Final = frozenset({TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT})


def fits(metadata: TransactionMetadata, transit: TxnTransitMetadata) -> bool:
    """Return whether a logged transition fits this metadata."""
    state = transit.state
    if state is TransactionState.ONGOING:
        return (
            _is_same_producer(metadata, transit)
            and metadata.partitions <= transit.partitions
            and metadata.timeout_ms == transit.timeout_ms
        )
    if state is TransactionState.EMPTY:
        return (
            _is_same_or_next_producer(metadata, transit)
            and not transit.partitions
            and transit.start_timestamp_ms == NO_TIMESTAMP
        )
    if state in PREPARED:
        return _fits_end(metadata, transit)
    if state in _COMPLETED:
        return (
            _is_completed_by(metadata, transit)
            and metadata.timeout_ms == transit.timeout_ms
            and transit.start_timestamp_ms != NO_TIMESTAMP
        )
    return False


def _fits_end(metadata: TransactionMetadata, transit: TxnTransitMetadata) -> bool:
    bumps = supports_epoch_bump(transit.client_transaction_version)
    aborts_nothing = (
        bumps
        and transit.state is TransactionState.PREPARE_ABORT
        and metadata.state in BETWEEN_TRANSACTIONS
    )
    ended_epoch = transit.last_producer_epoch if bumps else transit.producer_epoch
    return (
        ended_epoch == metadata.producer_epoch
        and metadata.producer_id == transit.producer_id
        and metadata.partitions == transit.partitions
        and metadata.timeout_ms == transit.timeout_ms
        and (aborts_nothing or metadata.start_timestamp_ms == transit.start_timestamp_ms)
    )


def _is_same_producer(metadata: TransactionMetadata, transit: TxnTransitMetadata) -> bool:
    return (
        metadata.producer_epoch == transit.producer_epoch
        and metadata.producer_id == transit.producer_id
    )


def _is_same_or_next_producer(metadata: TransactionMetadata, transit: TxnTransitMetadata) -> bool:
    if metadata.producer_id == transit.producer_id:
        return transit.producer_epoch in {metadata.producer_epoch, metadata.producer_epoch + 1}
    return transit.producer_epoch == 0


def _is_completed_by(metadata: TransactionMetadata, transit: TxnTransitMetadata) -> bool:
    if supports_epoch_bump(transit.client_transaction_version) and transit.producer_epoch == 0:
        return (
            metadata.last_producer_epoch == transit.last_producer_epoch
            and metadata.producer_id == transit.previous_producer_id
        )
    return _is_same_producer(metadata, transit)
