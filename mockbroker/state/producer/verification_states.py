"""The verifications of transactions that are under way in a partition, by producer id (KIP-890)."""

from mockbroker.state.producer.verification_state_entry import (
    VerificationGuard,
    VerificationStateEntry,
)


class VerificationStates:
    """One verification per producer, those that were begun first first."""

    __slots__ = ("by_producer_id",)

    def __init__(self) -> None:
        """Start without any."""
        self.by_producer_id: dict[int, VerificationStateEntry] = {}
        """To be looked at, for the append path, and not to be changed."""

    def __len__(self) -> int:
        """Count the verifications."""
        return len(self.by_producer_id)

    def start(
        self,
        producer_id: int,
        base_sequence: int,
        producer_epoch: int,
        *,
        supports_epoch_bump: bool,
        now_ms: int,
    ) -> VerificationGuard:
        """Begin a producer's verification, or take part in the one under way; return its guard."""
        verification = self.by_producer_id.get(producer_id)
        if verification is None:
            verification = self.by_producer_id[producer_id] = VerificationStateEntry(
                base_sequence,
                producer_epoch,
                supports_epoch_bump=supports_epoch_bump,
                now_ms=now_ms,
            )
        verification.maybe_update_lowest_sequence_and_epoch(base_sequence, producer_epoch)
        return verification.verification_guard

    def end_by_data(self, producer_id: int) -> None:
        """Forget what was verified: its transaction has begun."""
        self.by_producer_id.pop(producer_id, None)

    def end_by_marker(self, producer_id: int, producer_epoch: int) -> None:
        """Take a verification back for a marker, unless it is of the transaction after that."""
        verification = self.by_producer_id.get(producer_id)
        if verification is not None and not verification.outlasts_marker(producer_epoch):
            del self.by_producer_id[producer_id]

    def remove_older(self, oldest_kept_ms: int, at_most: int | None = None) -> None:
        """Forget those that were begun by then, and never ended."""
        by_producer_id = self.by_producer_id
        left = len(by_producer_id) if at_most is None else at_most
        while left and by_producer_id:
            producer_id = next(iter(by_producer_id))
            if by_producer_id[producer_id].created_ms > oldest_kept_ms:
                return
            del by_producer_id[producer_id]
            left -= 1

    def clear(self) -> None:
        """Forget all."""
        self.by_producer_id.clear()

    def as_text(self) -> list[str]:
        """Show all in a stable form."""
        return [
            f"producer {producer_id}: {verification!r}"
            for producer_id, verification in self.by_producer_id.items()
        ]
