"""Rows of a ledger, and inputs of rules that are built from them."""

from collections.abc import Sequence

from mockbroker.audit.cluster.cluster_input import ClusterInput, attempt_of
from mockbroker.audit.cluster.partition_view import LoggedBatch, Outcome, PartitionSnapshot
from mockbroker.audit.log_evidence import LogEvidence
from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from mockbroker.journal.compact.row import Row
from mockbroker.journal.compact.transaction_event import Decision, EpochGiven
from tests.support.log_evidence import log_evidence


def row(came_at: int, base_offset: int = 0, **changes: int) -> Row:
    """Return the row of an acknowledged batch of one record without a producer."""
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
    """Return a view of the partition `orders-0` with some batches."""
    end = batches[-1].last_offset + 1 if batches else 0
    return PartitionSnapshot("orders", 0, 1, 0, 0, end, end, end, batches, ())


def logged(base_offset: int, outcome: Outcome = "plain", count: int = 1) -> LoggedBatch:
    """Return a batch as a view of a log has it."""
    return LoggedBatch(base_offset, base_offset + count - 1, -1, -1, -1, outcome, False, True)


def cluster_input(
    *rows: Row,
    batches: Sequence[LoggedBatch] = (),
    decisions: Sequence[Decision] = (),
    epochs: Sequence[EpochGiven] = (),
) -> ClusterInput:
    """Return rows of `orders-0` with the present contents of its log."""
    attempts = [attempt_of(row, {1: "shop"}) for row in rows]

    def looked(_log: LogEvidence) -> PartitionSnapshot:
        return view(*batches)

    return ClusterInput([log_evidence(*attempts)], decisions, epochs, looked)
