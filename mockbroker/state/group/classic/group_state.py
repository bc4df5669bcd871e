"""States of a classic group, and the valid transitions.

Rules:

1. `VALID_PREVIOUS_STATES` is the only definition of the transitions.
2. A transition that is not in the table is a bug of mockbroker: it raises
   `IllegalGroupStateError`, and changes nothing.
3. DEAD is final: a group enters it when it is deleted, or its partition moves elsewhere.
"""

from collections.abc import Mapping
from enum import Enum, unique
from typing import Final


@unique
class GroupState(Enum):
    """State of a group; the value is Kafka's text, as in DescribeGroups."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"

    # Every heartbeat looks states up; the hash of an enum is many times slower.
    __hash__ = object.__hash__

    @property
    def title(self) -> str:
        """The state's name in Kafka, such as `PreparingRebalance`."""
        return self.value


class IllegalGroupStateError(Exception):
    """A transition that Kafka never makes (its `IllegalStateException`); nothing has changed."""


_S = GroupState

VALID_PREVIOUS_STATES: Final[Mapping[GroupState, frozenset[GroupState]]] = {
    _S.EMPTY: frozenset({_S.PREPARING_REBALANCE}),
    _S.PREPARING_REBALANCE: frozenset({_S.STABLE, _S.COMPLETING_REBALANCE, _S.EMPTY}),
    _S.COMPLETING_REBALANCE: frozenset({_S.PREPARING_REBALANCE}),
    _S.STABLE: frozenset({_S.COMPLETING_REBALANCE}),
    _S.DEAD: frozenset(_S),
}
"""For each state, the states from which it may be entered."""

ASSIGNED: Final = frozenset({_S.COMPLETING_REBALANCE, _S.STABLE})
"""The states with a generation under way, whose members the leader knows."""
