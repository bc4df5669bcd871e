"""Participants of a synthetic journal: partitions, idempotent and transactional producers."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

EPOCH_MAX: Final = 30_000
"""Transactions per producer id if each bumps the epoch, before a new id is assigned."""
_IDEMPOTENT_ID: Final = 1_000
_TRANSACTIONAL_ID: Final = 2_000
_IDS_APART: Final = 10_000
IDEMPOTENT_EPOCH: Final = 3
FENCING_EPOCH: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Numbers of participants; a producer is an index, and so is a partition (a place)."""

    topics: int = 6
    partitions: int = 8
    """Of each topic."""
    idempotent: int = 40
    transactional: int = 24
    """The second half of them bumps its epoch with each transaction, as since KIP-890."""
    extra: int = 0
    """Number of additional transactional producers, each for its own story."""

    @property
    def places(self) -> int:
        """Number of all partitions."""
        return self.topics * self.partitions

    @property
    def producers(self) -> int:
        """Number of all producers; the idempotent ones come first."""
        return self.idempotent + self.transactional

    @property
    def first_bumping(self) -> int:
        """The first producer that bumps its epoch with each transaction."""
        return self.idempotent + self.transactional // 2

    def are_bumping(self, producers: Ints) -> NDArray[np.bool_]:
        """Return the producers that bump their epochs."""
        return (producers >= self.first_bumping) & (producers < self.producers)

    def topic(self, place: int) -> str:
        """Name the topic of a place."""
        return f"orders-{place // self.partitions}"

    def partition(self, place: int) -> int:
        """Return the partition's number in its topic."""
        return place % self.partitions

    def transactional_id(self, producer: int) -> str:
        """Name a transactional producer."""
        return f"service-{producer - self.idempotent}"

    def producer_ids(self, producers: Ints, transactions: Ints) -> Ints:
        """Return producer ids by the number of transactions; exhausted ids are replaced."""
        ids = np.where(producers < self.idempotent, _IDEMPOTENT_ID, _TRANSACTIONAL_ID) + producers
        bumping = self.are_bumping(producers)
        worn: Ints = np.where(bumping, transactions // EPOCH_MAX, 0)
        return np.asarray(ids + worn * _IDS_APART, dtype=np.int64)

    def producer_epochs(self, producers: Ints, transactions: Ints) -> Ints:
        """Return the epochs with which producers write, before any was fenced."""
        bumping = self.are_bumping(producers)
        steady = np.where(producers < self.idempotent, IDEMPOTENT_EPOCH, FENCING_EPOCH)
        return np.asarray(np.where(bumping, transactions % EPOCH_MAX, steady), dtype=np.int64)
