"""The pending verifications of transactions in a partition, by producer id (KIP-890)."""

from mockbroker.state.producer.verification_state_entry import (
    VerificationGuard,
    VerificationStateEntry,
)


class VerificationStates:
    """One verification per producer, oldest first."""

    __slots__ = ("by_producer_id",)

    def __init__(self) -> None:
        """Start without verifications."""
        self.by_producer_id: dict[int, VerificationStateEntry] = {}
        """Read-only, for the append path."""

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
        """Begin a producer's verification, or join the pending one; return its guard."""
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
        """Remove a producer's verification, because its transaction has begun."""
        self.by_producer_id.pop(producer_id, None)

    def end_by_marker(self, producer_id: int, producer_epoch: int) -> None:
        """Revoke a verification because of a marker, unless it is for the next transaction."""
        verification = self.by_producer_id.get(producer_id)
        if verification is not None and not verification.outlasts_marker(producer_epoch):
            del self.by_producer_id[producer_id]

    def remove_older(self, oldest_kept_ms: int, at_most: int | None = None) -> None:
        """Remove up to `at_most` verifications that began at or before `oldest_kept_ms`."""
        by_producer_id = self.by_producer_id
        left = len(by_producer_id) if at_most is None else at_most
        while left and by_producer_id:
            producer_id = next(iter(by_producer_id))
            if by_producer_id[producer_id].created_ms > oldest_kept_ms:
                return
            del by_producer_id[producer_id]
            left -= 1

    def clear(self) -> None:
        """Remove all."""
        self.by_producer_id.clear()

    def as_text(self) -> list[str]:
        """Return all verifications as text in a stable form."""
        return [
            f"producer {producer_id}: {verification!r}"
            for producer_id, verification in self.by_producer_id.items()
        ]
