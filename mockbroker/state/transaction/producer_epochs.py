"""Epochs of producers: how many there are, and which protocol spends one on each transaction."""

from typing import Final

PRODUCER_EPOCH_MAX: Final = 32767
"""The highest epoch; only a coordinator uses it, to fence."""
LAST_PRODUCER_EPOCH: Final = PRODUCER_EPOCH_MAX - 1
"""The highest epoch that a producer is given."""

_EPOCH_BUMP_VERSION: Final = 2


def is_epoch_exhausted(producer_epoch: int) -> bool:
    """Tell whether a producer cannot be given another epoch under the same producer id."""
    return producer_epoch >= LAST_PRODUCER_EPOCH


def supports_epoch_bump(transaction_version: int) -> bool:
    """Tell whether every transaction ends with a new epoch (KIP-890 part 2)."""
    return transaction_version >= _EPOCH_BUMP_VERSION
