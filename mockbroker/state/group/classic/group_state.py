"""The states of a classic group, and which may follow which.

The laws:

1. `VALID_PREVIOUS_STATES` is the only place that says which transitions there are.
2. A transition that is not in the table is a mistake of ours: it raises
   `IllegalGroupStateError`, and nothing has changed.
3. DEAD is final: a group enters it when it is deleted, or when its partition is led elsewhere.
"""

from collections.abc import Mapping
from enum import Enum, unique
from typing import Final


@unique
class GroupState(Enum):
    """What a group is doing; the value is Kafka's text, as DescribeGroups shows it."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"

    # Every heartbeat looks states up; an enum's own hash is many times slower.
    __hash__ = object.__hash__

    @property
    def title(self) -> str:
        """The state as Kafka writes it, such as `PreparingRebalance`."""
        return self.value


class IllegalGroupStateError(Exception):
    """A step that Kafka never takes (its `IllegalStateException`); nothing has changed."""


_S = GroupState

VALID_PREVIOUS_STATES: Final[Mapping[GroupState, frozenset[GroupState]]] = {
    _S.EMPTY: frozenset({_S.PREPARING_REBALANCE}),
    _S.PREPARING_REBALANCE: frozenset({_S.STABLE, _S.COMPLETING_REBALANCE, _S.EMPTY}),
    _S.COMPLETING_REBALANCE: frozenset({_S.PREPARING_REBALANCE}),
    _S.STABLE: frozenset({_S.COMPLETING_REBALANCE}),
    _S.DEAD: frozenset(_S),
}
"""For each state, those from which it may be entered."""

ASSIGNED: Final = frozenset({_S.COMPLETING_REBALANCE, _S.STABLE})
"""The states in which a generation is under way, and its members are known to the leader."""
