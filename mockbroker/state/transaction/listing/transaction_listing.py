"""ListTransactions: filters by state, producer id, duration and pattern."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.expression.regular_expression import RegularExpression
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import STATES_BY_NAME, TransactionState


class TransactionFilters(NamedTuple):
    """The filters of a ListTransactions request; an empty filter matches everything."""

    states: tuple[str, ...] = ()
    """Names of states, such as `Ongoing`."""
    producer_ids: frozenset[int] = frozenset()
    duration_ms: int = -1
    """Match only transactions that have run for longer; less than 0 matches all (KIP-994)."""
    transactional_id_pattern: str | None = None
    """A regular expression for the whole transactional id (KIP-1152); see `pattern_syntax`."""


class ListedTransactions(NamedTuple):
    """The matching transactions, and the filtered state names that do not exist."""

    unknown_state_filters: tuple[str, ...]
    transactions: tuple[TransactionMetadata, ...]


def list_transactions(
    coordinator: TransactionCoordinator, filters: TransactionFilters, now_ms: int
) -> ListedTransactions:
    """Return a coordinator's transactional ids that match all filters.

    Raises:
        ApiError: COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS while any partition is
            loading, INVALID_REGULAR_EXPRESSION.

    """
    coordinator.require_active()
    states = coordinator.states
    if states.is_loading:
        raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, "a partition is being loaded")
    matches = _matcher(filters.transactional_id_pattern)
    wanted = {STATES_BY_NAME[name] for name in filters.states if name in STATES_BY_NAME}
    return ListedTransactions(
        tuple(dict.fromkeys(name for name in filters.states if name not in STATES_BY_NAME)),
        tuple(_passing((each.metadata for each in states), filters, wanted, matches, now_ms)),
    )


def _passing(
    candidates: Iterable[TransactionMetadata],
    filters: TransactionFilters,
    wanted: set[TransactionState],
    matches: Callable[[str], object],
    now_ms: int,
) -> Iterable[TransactionMetadata]:
    for metadata in candidates:
        if filters.producer_ids and metadata.producer_id not in filters.producer_ids:
            continue
        if filters.states and metadata.state not in wanted:
            continue
        age_ms = now_ms - metadata.start_timestamp_ms
        if filters.duration_ms >= 0 and age_ms <= filters.duration_ms:
            continue
        if matches(metadata.transactional_id):
            yield metadata


def _matcher(pattern: str | None) -> Callable[[str], object]:
    return RegularExpression(pattern).matches if pattern else bool
