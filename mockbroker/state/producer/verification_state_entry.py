"""The state of a transaction that is being verified in a partition (KIP-890, part 1).

Invariants:

1. A guard is issued before the coordinator is asked, and the first batch needs it. If a transaction
   of that producer ends or starts in between, the guard is revoked: a batch that was verified too
   early is refused, so it cannot leave a hanging transaction.
2. A batch with a higher sequence than the lowest one being verified is refused, so that it cannot
   overtake.
"""


class VerificationGuard:
    """The identity of one verification, equal only to itself (Kafka's class of that name)."""

    __slots__ = ()


class VerificationStateEntry:
    """A producer's verification under way in one partition (Kafka's class of the same name)."""

    __slots__ = (
        "created_ms",
        "lowest_sequence",
        "producer_epoch",
        "supports_epoch_bump",
        "verification_guard",
    )

    def __init__(
        self, base_sequence: int, producer_epoch: int, *, supports_epoch_bump: bool, now_ms: int
    ) -> None:
        """Begin; `supports_epoch_bump` is true if the client bumps its epoch per transaction."""
        self.verification_guard = VerificationGuard()
        self.lowest_sequence = base_sequence
        self.producer_epoch = producer_epoch
        self.supports_epoch_bump = supports_epoch_bump
        self.created_ms = now_ms

    def maybe_update_lowest_sequence_and_epoch(
        self, base_sequence: int, producer_epoch: int
    ) -> None:
        """Include another batch that is to be verified."""
        if producer_epoch > self.producer_epoch:
            self.producer_epoch = producer_epoch
            self.lowest_sequence = base_sequence
        elif producer_epoch == self.producer_epoch and base_sequence < self.lowest_sequence:
            self.lowest_sequence = base_sequence

    def outlasts_marker(self, producer_epoch: int) -> bool:
        """Return whether the verification continues after a marker with this epoch was appended.

        It does if the epochs are equal: the marker's epoch was bumped when the previous transaction
        ended, so the verification belongs to the next one.
        """
        return self.supports_epoch_bump and producer_epoch == self.producer_epoch

    def __repr__(self) -> str:
        """Show all fields except the guard, which is unique."""
        return (
            f"VerificationStateEntry(producer_epoch={self.producer_epoch}, "
            f"lowest_sequence={self.lowest_sequence}, "
            f"supports_epoch_bump={self.supports_epoch_bump}, created_ms={self.created_ms})"
        )
