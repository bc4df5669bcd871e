"""The states of a transaction, and the transitions between them (KIP-98, KIP-890).

Invariants:

1. `VALID_PREVIOUS_STATES` is the only definition of the transitions. Code that prepares a
   transition looks it up here, and so do the tests of all pairs.
2. A transition that is not in the table is a bug in mockbroker: it raises `IllegalTransitionError`
   and changes nothing.
3. PREPARE_EPOCH_FENCE and DEAD are only ever pending: PREPARE_ABORT replaces the first, and the
   second ends with the removal of the transactional id. Neither is written to a log.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final


class TransactionState(IntEnum):
    """The state of a transactional id; the numbers are those in its log records."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    DEAD = 6
    PREPARE_EPOCH_FENCE = 7

    # States are often looked up in sets, and an enum's own hash is many times slower.
    __hash__ = int.__hash__

    @property
    def state_name(self) -> str:
        """The name in DescribeTransactions, such as `PrepareCommit`."""
        return _STATE_NAMES[self]

    @property
    def is_expiration_allowed(self) -> bool:
        """True if a transactional id in this state may expire: it has no open transaction."""
        return self in _EXPIRABLE


class IllegalTransitionError(Exception):
    """A transition that Kafka never makes (its `IllegalStateException`); nothing has changed."""


_S = TransactionState

_STATE_NAMES: Final[Mapping[TransactionState, str]] = {
    state: "".join(word.capitalize() for word in state.name.split("_"))
    for state in TransactionState
}

_EXPIRABLE: Final = frozenset({_S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT})

PREPARED: Final = frozenset({_S.PREPARE_COMMIT, _S.PREPARE_ABORT})
"""The states in which markers are being written; no other transition is possible until then."""

BETWEEN_TRANSACTIONS: Final = _EXPIRABLE
"""The states in which no transaction is open."""

STATES_BY_NAME: Final[Mapping[str, TransactionState]] = {
    name: state for state, name in _STATE_NAMES.items()
}
"""The states by their names in the filters of ListTransactions."""

VALID_PREVIOUS_STATES: Final[Mapping[TransactionState, frozenset[TransactionState]]] = {
    _S.EMPTY: frozenset({_S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT}),
    _S.ONGOING: frozenset({_S.ONGOING, _S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT}),
    _S.PREPARE_COMMIT: frozenset({_S.ONGOING}),
    # From the last three states, an abort without an open transaction bumps the epoch (KIP-890).
    _S.PREPARE_ABORT: frozenset(
        {_S.ONGOING, _S.PREPARE_EPOCH_FENCE, _S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT}
    ),
    _S.COMPLETE_COMMIT: frozenset({_S.PREPARE_COMMIT}),
    _S.COMPLETE_ABORT: frozenset({_S.PREPARE_ABORT}),
    _S.DEAD: frozenset({_S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT}),
    _S.PREPARE_EPOCH_FENCE: frozenset({_S.ONGOING}),
}
"""For each state, the states from which it may be entered."""
