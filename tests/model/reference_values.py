"""Inputs and outcomes of the reference model of a partition."""

from typing import NamedTuple

from mockbroker.protocol.errors import ErrorCode

SEQUENCES = 1 << 31
EPOCH_MAX = 32767


class Batch(NamedTuple):
    """A batch of data as a producer sends it."""

    producer_id: int
    producer_epoch: int
    base_sequence: int
    records: int
    timestamp_ms: int
    is_transactional: bool = False

    @property
    def last_sequence(self) -> int:
        return (self.base_sequence + self.records - 1) % SEQUENCES


class Marker(NamedTuple):
    """The end of a transaction, as a coordinator sends it."""

    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    is_commit: bool
    timestamp_ms: int


class Outcome(NamedTuple):
    """Outcome of an append: an error, or the batch's offset; for a retry also its timestamp."""

    error_code: ErrorCode
    base_offset: int = -1
    last_offset: int = -1
    timestamp_ms: int = -1
    is_duplicate: bool = False


class Kept(NamedTuple):
    """A batch that is remembered of a producer, so that a retry is recognised."""

    first_sequence: int
    last_sequence: int
    first_offset: int
    last_offset: int
    timestamp_ms: int
