"""Rows of a ledger, and inputs made of them, as rules are given them."""

from collections.abc import Sequence

from mockbroker.audit.cluster.cluster_input import ClusterInput, attempt_of
from mockbroker.audit.cluster.partition_view import LoggedBatch, Outcome, PartitionSnapshot
from mockbroker.audit.log_evidence import LogEvidence
from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from mockbroker.journal.compact.row import Row
from mockbroker.journal.compact.transaction_event import Decision, EpochGiven
from tests.support.log_evidence import log_evidence


def row(came_at: int, base_offset: int = 0, **changes: int) -> Row:
    """Give a batch of one record without a producer that came, was appended and acknowledged."""
    usual = Row(
        call_number=came_at,
        place=0,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        record_count=1,
        connection=1,
        now_ms=1_000,
        flags=0,
        came_at=came_at,
        base_offset=base_offset,
        leader_epoch=0,
        appended=Appended.YES,
        appended_at=came_at,
        answer=ResponseOutcome.GIVEN,
        error_code=0,
        answered_at=came_at,
    )
    return usual._replace(**changes)


def view(*batches: LoggedBatch) -> PartitionSnapshot:
    """Give the partition `orders-0` as it holds some batches."""
    end = batches[-1].last_offset + 1 if batches else 0
    return PartitionSnapshot("orders", 0, 1, 0, 0, end, end, end, batches, ())


def logged(base_offset: int, outcome: Outcome = "plain", count: int = 1) -> LoggedBatch:
    """Give a batch as it stands in a log."""
    return LoggedBatch(base_offset, base_offset + count - 1, -1, -1, -1, outcome, False, True)


def cluster_input(
    *rows: Row,
    batches: Sequence[LoggedBatch] = (),
    decisions: Sequence[Decision] = (),
    epochs: Sequence[EpochGiven] = (),
) -> ClusterInput:
    """Give rows of `orders-0`, and what its log holds now."""
    attempts = [attempt_of(row, {1: "shop"}) for row in rows]

    def looked(_log: LogEvidence) -> PartitionSnapshot:
        return view(*batches)

    return ClusterInput([log_evidence(*attempts)], decisions, epochs, looked)
