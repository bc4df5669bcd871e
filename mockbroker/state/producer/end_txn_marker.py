"""The marker that ends a transaction in a partition (KIP-98)."""

from typing import Final, NamedTuple

ABORT_MARKER_TYPE: Final = 0
COMMIT_MARKER_TYPE: Final = 1
"""The types of control records that end a transaction (Kafka's `ControlRecordType`)."""


class EndTxnMarker(NamedTuple):
    """The contents of the one record in a control batch (Kafka's `EndTransactionMarker`).

    `coordinator_epoch` is the leader epoch of the partition of `__transaction_state` whose leader
    wrote the marker. It fences a coordinator that was replaced.
    """

    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    is_commit: bool

    @property
    def control_type(self) -> int:
        """The control record's type: 1 commits, 0 aborts."""
        return COMMIT_MARKER_TYPE if self.is_commit else ABORT_MARKER_TYPE


class SentMarker(NamedTuple):
    """A marker that was appended, and that some in-sync replica does not have yet."""

    offset: int
    elected_in_epoch: int
    """The epoch in which the leader was elected that appended it."""
    appended_ms: int
