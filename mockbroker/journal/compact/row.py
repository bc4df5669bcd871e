"""One row of the ledger: a batch that a client sent to a partition, its offset and its response."""

import struct
from enum import IntFlag
from typing import Final, NamedTuple


class Flag(IntFlag):
    """Properties of a batch."""

    TRANSACTIONAL = 1
    REPEATED = 2
    """The request was applied again, as by a network that duplicates packets."""


class Row(NamedTuple):
    """A received batch, in the order of the ledger's columns.

    Events are numbered in one order: `came_at`, `appended_at` and `answered_at` are such numbers,
    and 0 means that the event has not occurred.
    """

    call_number: int
    place: int
    """The ledger's number for the partition; a recreated topic gets new numbers."""
    producer_id: int
    """-1 for a batch without a producer id."""
    producer_epoch: int
    base_sequence: int
    record_count: int
    connection: int
    now_ms: int
    """The cluster's time at the arrival."""
    flags: int
    came_at: int
    base_offset: int
    """The batch's offset; of a retry, that of the first try; -1 if it was not appended."""
    leader_epoch: int
    """The leader's, at the append or the retry; epoch and offset together name a batch."""
    appended: int
    appended_at: int
    answer: int
    error_code: int
    """The error code of the response, once it was sent."""
    answered_at: int

    @property
    def last_offset(self) -> int:
        """The offset of the batch's last record."""
        return self.base_offset + self.record_count - 1

    @property
    def is_transactional(self) -> bool:
        """True if the batch belongs to a transaction."""
        return self.flags & Flag.TRANSACTIONAL != 0


COLUMNS: Final = struct.Struct("<IIqhiiIqBIqiBIBhI")
"""Layout of a row, in the order of `Row`: 67 bytes."""
