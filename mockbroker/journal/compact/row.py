"""One row of the ledger: a batch that a client sent to a partition, its offset and its response."""

import struct
from enum import IntFlag
from typing import Final, NamedTuple


class Flag(IntFlag):
    """What else is known of a batch."""

    TRANSACTIONAL = 1
    REPEATED = 2
    """The request was applied again, as by a network that doubles what it carries."""


class Row(NamedTuple):
    """A batch that came, in the order of the ledger's columns.

    What happens to batches is numbered in one order: `came_at`, `appended_at` and `answered_at` are
    such numbers, 0 for what has not happened.
    """

    call_number: int
    place: int
    """The number that the ledger gave the partition; a topic made anew has others."""
    producer_id: int
    """-1 for a batch without a producer id."""
    producer_epoch: int
    base_sequence: int
    record_count: int
    connection: int
    now_ms: int
    """The cluster's time when it came."""
    flags: int
    came_at: int
    base_offset: int
    """Where it stands; of a retry where the first try stands; -1 where it was not appended."""
    leader_epoch: int
    """The leader's, at the append or the retry; epoch and offset together name a batch."""
    appended: int
    appended_at: int
    answer: int
    error_code: int
    """What the answer said, once it was given."""
    answered_at: int

    @property
    def last_offset(self) -> int:
        """The offset of its last record."""
        return self.base_offset + self.record_count - 1

    @property
    def is_transactional(self) -> bool:
        """Whether it belongs to a transaction."""
        return self.flags & Flag.TRANSACTIONAL != 0


COLUMNS: Final = struct.Struct("<IIqhiiIqBIqiBIBhI")
"""How a row is packed, in the order of `Row`: 67 bytes."""
