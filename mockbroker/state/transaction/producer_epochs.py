"""Limits of producer epochs, and the protocol that bumps the epoch with each transaction."""

from typing import Final, NamedTuple

from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID

PRODUCER_EPOCH_MAX: Final = 32767
"""The highest epoch; only a coordinator uses it, to fence."""
LAST_PRODUCER_EPOCH: Final = PRODUCER_EPOCH_MAX - 1
"""The highest epoch that a producer gets."""

_EPOCH_BUMP_VERSION: Final = 2


def is_epoch_exhausted(producer_epoch: int) -> bool:
    """Return whether a producer cannot get another epoch under the same producer id."""
    return producer_epoch >= LAST_PRODUCER_EPOCH


def supports_epoch_bump(transaction_version: int) -> bool:
    """Return whether every transaction ends with a new epoch (KIP-890 part 2)."""
    return transaction_version >= _EPOCH_BUMP_VERSION


class ProducerIdAndEpoch(NamedTuple):
    """A producer's id and epoch as in requests (Kafka's `ProducerIdAndEpoch`)."""

    producer_id: int
    producer_epoch: int


NO_PRODUCER: Final = ProducerIdAndEpoch(NO_PRODUCER_ID, NO_PRODUCER_EPOCH)
