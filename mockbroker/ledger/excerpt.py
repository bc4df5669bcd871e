"""What rules are given of a ledger and of the logs, at one moment."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mockbroker.ledger.partition_view import PartitionView
from mockbroker.ledger.row import Appended, Row
from mockbroker.ledger.transaction_event import Decision, EpochGiven
from mockbroker.protocol.types import TopicPartition

Contents: TypeAlias = Callable[[int, int, int], Sequence[tuple[int, Hashable]]]
"""Gives offset and identity of the records of a place between two offsets, the last one included.

Equal identities are equal records: key, value, headers and, if the client set it, timestamp.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The rows of some partitions, and what else of the ledger is about them."""

    rows: Sequence[Row]
    """In the order in which the batches came."""
    places: Sequence[TopicPartition]
    """The partitions by the numbers that rows have."""
    truncations: Mapping[int, Sequence[tuple[int, int]]]
    """When a log lost its end, and where it ended then."""
    log_ends: Mapping[int, int]
    """Where the logs end now."""
    clients: Mapping[int, str | None]
    decisions: Sequence[Decision]
    epochs: Sequence[EpochGiven]
    views: Callable[[int], PartitionView]
    """Looks at a place as it is now."""
    contents: Contents

    def cut_offset(self, row: Row) -> int | None:
        """Return the offset at which the log lost a row's records, or None where it did not.

        Of a retry that was recognised it is about the records of the first try.
        """
        since = row.appended_at
        if row.appended == Appended.RETRY:
            since = self._first_append(row)
        end = min(
            (end for moment, end in self.truncations.get(row.place, ()) if moment > since),
            default=self.log_ends.get(row.place, row.last_offset + 1),
        )
        return max(end, row.base_offset) if end <= row.last_offset else None

    def _first_append(self, row: Row) -> int:
        """Return when the batch was appended that a retry is one of."""
        if row.place not in self.truncations:
            return row.appended_at
        moments = [
            other.appended_at
            for other in self.rows
            if other.appended == Appended.YES
            and (other.place, other.base_offset) == (row.place, row.base_offset)
            and other.producer_id == row.producer_id
            and other.appended_at < row.appended_at
        ]
        return max(moments, default=row.appended_at)

    def client_of(self, row: Row) -> str:
        """Name the client that sent a row."""
        return repr(self.clients.get(row.connection) or "a client without id")


def batch_text(row: Row) -> str:
    """Say which batch a row is: offsets, producer, sequences."""
    offsets = f"offset {row.base_offset}"
    if row.record_count > 1:
        offsets = f"offsets {row.base_offset}..{row.last_offset}"
    if row.producer_id < 0:
        return offsets
    sequences = f"#{row.base_sequence}"
    if row.record_count > 1:
        sequences += f"..{row.base_sequence + row.record_count - 1}"
    return f"{offsets} (producer {row.producer_id} epoch {row.producer_epoch} {sequences})"
