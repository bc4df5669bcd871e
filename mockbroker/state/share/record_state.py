"""The states of a record in a share group, and the transitions between them (KIP-932, KIP-1191).

Invariants:

1. `VALID_NEXT_STATES` is the only definition of the transitions that clients and lock timeouts
   cause; it is that of Kafka's `RecordState.validateTransition`.
2. Records that the log no longer has, or that belong to an aborted transaction, are archived from
   any state: `InFlightState.archive` does not use the table.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final


class RecordState(IntEnum):
    """The delivery state of a record; the numbers are those of Kafka 4.4's persisted state."""

    AVAILABLE = 0
    ACQUIRED = 1
    ACKNOWLEDGED = 2
    ARCHIVING = 3
    ARCHIVED = 4

    __hash__ = int.__hash__

    @property
    def is_terminal(self) -> bool:
        """True if the record is never delivered again."""
        return self in _TERMINAL


class AcknowledgeType(IntEnum):
    """What a consumer reports of a record; the numbers are those on the wire."""

    GAP = 0
    """There is no record at the offset, as for a control record."""
    ACCEPT = 1
    RELEASE = 2
    REJECT = 3
    RENEW = 4
    """The consumer needs more time: its acquisition lock starts anew (KIP-1222)."""


class ShareAcquireMode(IntEnum):
    """How exactly a ShareFetch keeps to its number of records (KIP-1206)."""

    BATCH_OPTIMIZED = 0
    """Whole batches are acquired, also if the last one exceeds the number."""
    RECORD_LIMIT = 1


_S = RecordState

_TERMINAL: Final = frozenset({_S.ACKNOWLEDGED, _S.ARCHIVED})

VALID_NEXT_STATES: Final[Mapping[RecordState, frozenset[RecordState]]] = {
    _S.AVAILABLE: frozenset({_S.ACQUIRED}),
    _S.ACQUIRED: frozenset({_S.AVAILABLE, _S.ACKNOWLEDGED, _S.ARCHIVING, _S.ARCHIVED}),
    _S.ACKNOWLEDGED: frozenset(),
    _S.ARCHIVING: frozenset({_S.AVAILABLE, _S.ACQUIRED, _S.ACKNOWLEDGED, _S.ARCHIVED}),
    _S.ARCHIVED: frozenset(),
}
"""For each state, the states that may follow it."""

STATE_OF_ACKNOWLEDGEMENT: Final[Mapping[AcknowledgeType, RecordState]] = {
    AcknowledgeType.GAP: _S.ARCHIVED,
    AcknowledgeType.ACCEPT: _S.ACKNOWLEDGED,
    AcknowledgeType.RELEASE: _S.AVAILABLE,
    AcknowledgeType.REJECT: _S.ARCHIVED,
}
"""The state that each acknowledgement leads to; RENEW keeps the record ACQUIRED."""
