"""Rows of a ledger, and excerpts of them, as rules are given them."""

from collections.abc import Hashable, Mapping, Sequence

from mockbroker.ledger.excerpt import Excerpt, LogExtent, first_tries
from mockbroker.ledger.partition_view import LoggedBatch, Outcome, PartitionView
from mockbroker.ledger.row import Answer, Appended, Row
from mockbroker.ledger.transaction_event import Decision, EpochGiven
from mockbroker.protocol.types import TopicPartition

ORDERS = TopicPartition("orders", 0)


def row(came_at: int, base_offset: int = 0, **changes: int) -> Row:
    """Give a batch of one record without a producer that came, was appended and acknowledged."""
    usual = Row(
        call_number=came_at,
        place=0,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        record_count=1,
        batch_count=1,
        connection=1,
        now_ms=1_000,
        flags=0,
        came_at=came_at,
        base_offset=base_offset,
        leader_epoch=0,
        appended=Appended.YES,
        appended_at=came_at,
        answer=Answer.GIVEN,
        error_code=0,
        answered_at=came_at,
    )
    return usual._replace(**changes)


def view(*batches: LoggedBatch) -> PartitionView:
    """Give the partition `orders-0` as it holds some batches."""
    end = batches[-1].last_offset + 1 if batches else 0
    return PartitionView("orders", 0, 1, 0, 0, end, end, end, batches, ())


def logged(base_offset: int, outcome: Outcome = "plain", count: int = 1) -> LoggedBatch:
    """Give a batch as it stands in a log."""
    return LoggedBatch(base_offset, base_offset + count - 1, -1, -1, -1, outcome, False, True)


def excerpt(
    *rows: Row,
    contents: Mapping[int, Hashable] | None = None,
    batches: Sequence[LoggedBatch] = (),
    truncations: Sequence[tuple[int, int]] = (),
    log_start: int = 0,
    log_end: int = 1_000,
    epoch_ends: Mapping[int, int] | None = None,
    decisions: Sequence[Decision] = (),
    epochs: Sequence[EpochGiven] = (),
    clients: Mapping[int, str | None] | None = None,
) -> Excerpt:
    """Give rows of `orders-0` whose records are told apart by `contents`, by offset."""
    records, ends = contents or {}, epoch_ends or {}

    def epoch_end(leader_epoch: int) -> int:
        return ends.get(leader_epoch, log_end)

    return Excerpt(
        rows=rows,
        places=[ORDERS],
        truncations={0: truncations} if truncations else {},
        extents={0: LogExtent(log_start, log_end, epoch_end)},
        first_tries=first_tries(rows),
        clients=clients or {},
        decisions=decisions,
        epochs=epochs,
        views=lambda _place: view(*batches),
        contents=lambda _place, first, last: [
            (offset, identity) for offset, identity in records.items() if first <= offset <= last
        ],
    )
