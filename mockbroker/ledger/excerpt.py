"""What rules are given of a ledger and of the logs, at one moment."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from mockbroker.ledger.partition_view import PartitionView
from mockbroker.ledger.row import Appended, Row
from mockbroker.ledger.transaction_event import Decision, EpochGiven
from mockbroker.protocol.types import TopicPartition

Contents: TypeAlias = Callable[[int, int, int], Sequence[tuple[int, Hashable]]]
"""Gives offset and identity of the records of a place between two offsets, the last one included.

Equal identities are equal records: key, value, headers and, if the client set it, timestamp.
"""

FirstTry: TypeAlias = tuple[int, int, int]
"""Place, base offset and producer id: what a retry has in common with the batch it repeats."""


class LogExtent(NamedTuple):
    """Which offsets a log holds."""

    log_start_offset: int
    log_end_offset: int
    epoch_end: Callable[[int], int]
    """Gives the offset at which ends what was appended in a leader epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The rows of some partitions, and what else of the ledger is about them."""

    rows: Sequence[Row]
    """In the order in which the batches came."""
    places: Sequence[TopicPartition]
    """The partitions by the numbers that rows have."""
    truncations: Mapping[int, Sequence[tuple[int, int]]]
    """When a log lost its end, and where it ended then."""
    extents: Mapping[int, LogExtent]
    first_tries: Mapping[FirstTry, Sequence[Row]]
    clients: Mapping[int, str | None]
    decisions: Sequence[Decision]
    epochs: Sequence[EpochGiven]
    views: Callable[[int], PartitionView]
    """Looks at a place as it is now."""
    contents: Contents

    def cut_offset(self, row: Row) -> int | None:
        """Return the offset from which on the log does not hold a row's records, or None.

        They were cut off, or stood only at a leader that the others had left behind. Of a retry
        that was recognised it is about the records of the first try. What was deleted at the log's
        start was not cut.
        """
        tried = row if row.appended == Appended.YES else self._first_try(row)
        extent = self.extents[row.place]
        if tried is None:
            ends = [extent.log_end_offset]
        else:
            truncations = self.truncations.get(row.place, ())
            ends = [end for moment, end in truncations if moment > tried.appended_at]
            if row.base_offset >= extent.log_start_offset:
                ends.append(extent.epoch_end(tried.leader_epoch))
        end = min(ends, default=row.last_offset + 1)
        return max(end, row.base_offset) if end <= row.last_offset else None

    def _first_try(self, row: Row) -> Row | None:
        """Return the batch that was appended of which a row is a retry, if it is known."""
        before = [
            each
            for each in self.first_tries.get(_first_try_of(row), ())
            if each.appended_at < row.appended_at
        ]
        return before[-1] if before else None

    def client_of(self, row: Row) -> str:
        """Name the client that sent a row."""
        return repr(self.clients.get(row.connection) or "a client without id")


def first_tries(rows: Sequence[Row]) -> dict[FirstTry, list[Row]]:
    """Find the appended batches of which others are retries, in the order of their appends."""
    found: dict[FirstTry, list[Row]] = {
        _first_try_of(row): [] for row in rows if row.appended == Appended.RETRY
    }
    for row in sorted(rows, key=lambda row: row.appended_at) if found else ():
        if row.appended == Appended.YES and (tries := found.get(_first_try_of(row))) is not None:
            tries.append(row)
    return found


def _first_try_of(row: Row) -> FirstTry:
    return row.place, row.base_offset, row.producer_id


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
