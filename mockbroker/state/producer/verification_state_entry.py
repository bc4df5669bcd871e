"""What a partition knows of a transaction that is still being verified (KIP-890, part 1).

The laws:

1. A guard is given out before the coordinator is asked, and is needed for the first batch. Whatever
   ends or starts a transaction of that producer in between takes it back: a batch that was verified
   too early is refused, so it cannot hang.
2. A batch with a higher sequence than the lowest that waits is refused: it must not overtake.
"""


class VerificationGuard:
    """Stands for one verification; each is equal to itself only (Kafka's class of that name)."""

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
        """Begin; `supports_epoch_bump` says that the client bumps its epoch per transaction."""
        self.verification_guard = VerificationGuard()
        self.lowest_sequence = base_sequence
        self.producer_epoch = producer_epoch
        self.supports_epoch_bump = supports_epoch_bump
        self.created_ms = now_ms

    def maybe_update_lowest_sequence_and_epoch(
        self, base_sequence: int, producer_epoch: int
    ) -> None:
        """Take in another batch that is to be verified."""
        if producer_epoch > self.producer_epoch:
            self.producer_epoch = producer_epoch
            self.lowest_sequence = base_sequence
        elif producer_epoch == self.producer_epoch and base_sequence < self.lowest_sequence:
            self.lowest_sequence = base_sequence

    def outlasts_marker(self, producer_epoch: int) -> bool:
        """Tell whether it goes on although a marker with this epoch was appended.

        It does where the epochs are equal: the marker's was bumped when the transaction before was
        ended, so what is being verified is the next one.
        """
        return self.supports_epoch_bump and producer_epoch == self.producer_epoch

    def __repr__(self) -> str:
        """Show all that decides, but not the guard, of which there is no second."""
        return (
            f"VerificationStateEntry(producer_epoch={self.producer_epoch}, "
            f"lowest_sequence={self.lowest_sequence}, "
            f"supports_epoch_bump={self.supports_epoch_bump}, created_ms={self.created_ms})"
        )
