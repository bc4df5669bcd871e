"""The states of a transaction, and which may follow which (KIP-98, KIP-890).

The laws:

1. `VALID_PREVIOUS_STATES` is the only place that says which transitions there are. Whatever
   prepares a transition looks it up here, and so do the tests of all pairs.
2. A transition that is not in the table is a mistake of ours: it raises `IllegalTransitionError`,
   and nothing has changed.
3. PREPARE_EPOCH_FENCE and DEAD are only ever pending: the first gives way to PREPARE_ABORT, the
   second ends with the transactional id's removal. Neither is written to a log.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final


class TransactionState(IntEnum):
    """What a transactional id is doing; the number is what its log records hold."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    DEAD = 6
    PREPARE_EPOCH_FENCE = 7

    # Every step looks states up in sets; an enum's own hash is many times slower.
    __hash__ = int.__hash__

    @property
    def state_name(self) -> str:
        """The name that DescribeTransactions shows, such as `PrepareCommit`."""
        return _STATE_NAMES[self]

    @property
    def is_expiration_allowed(self) -> bool:
        """Whether a transactional id in this state may expire: one with a transaction may not."""
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
"""The states in which markers are written: nothing else is possible until they are."""

BETWEEN_TRANSACTIONS: Final = _EXPIRABLE
"""The states in which no transaction is open."""

STATES_BY_NAME: Final[Mapping[str, TransactionState]] = {
    name: state for state, name in _STATE_NAMES.items()
}
"""The states by the names that ListTransactions filters by."""

VALID_PREVIOUS_STATES: Final[Mapping[TransactionState, frozenset[TransactionState]]] = {
    _S.EMPTY: frozenset({_S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT}),
    _S.ONGOING: frozenset({_S.ONGOING, _S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT}),
    _S.PREPARE_COMMIT: frozenset({_S.ONGOING}),
    # From the other three an abort of nothing may come, which bumps the epoch (KIP-890).
    _S.PREPARE_ABORT: frozenset(
        {_S.ONGOING, _S.PREPARE_EPOCH_FENCE, _S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT}
    ),
    _S.COMPLETE_COMMIT: frozenset({_S.PREPARE_COMMIT}),
    _S.COMPLETE_ABORT: frozenset({_S.PREPARE_ABORT}),
    _S.DEAD: frozenset({_S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT}),
    _S.PREPARE_EPOCH_FENCE: frozenset({_S.ONGOING}),
}
"""For each state, those from which it may be entered."""
