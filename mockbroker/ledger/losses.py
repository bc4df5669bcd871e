"""Which records were acknowledged and are gone, though nobody asked for that.

The laws:

1. Only what was acknowledged can be lost: its client was handed an answer without an error. What
   was sent with acks=0 was never promised.
2. What DeleteRecords, retention, compaction and the deletion of a topic take away is not lost.
3. Of a transaction that was aborted nothing can be lost, and of one that is open not yet.
4. A batch that stands in the log once more, under the same producer id, epoch and sequence, is not
   lost.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from mockbroker.ledger.excerpt import Excerpt, batch_text
from mockbroker.ledger.finding import Finding, Ghost
from mockbroker.ledger.row import Appended, Row

_KEEP: Final = (
    "with acks=1 the leader alone has acknowledged, and a replica that takes over may lack it: "
    "acks=all and min.insync.replicas=2 let a record be acknowledged when it is on two brokers."
)
_Identity: TypeAlias = tuple[int, int, int, int, int]


class Loss(NamedTuple):
    """Records that were acknowledged and are gone."""

    row: Row
    first_offset: int
    """Where they begin; -1 where they never were in the log."""


def loss_findings(excerpt: Excerpt) -> list[Finding]:
    """Find what was lost."""
    return [_told(loss, excerpt) for loss in lost(excerpt)]


def lost(excerpt: Excerpt) -> Iterator[Loss]:
    """Yield what was lost, in the order in which it was sent."""
    intact: set[_Identity] | None = None
    for row in excerpt.rows:
        if not row.is_acknowledged:
            continue
        if row.appended == Appended.NO:
            yield Loss(row, -1)
            continue
        cut = excerpt.cut_offset(row)
        if cut is None or not _is_promised(row, excerpt):
            continue
        if intact is None:
            intact = set(_intact(excerpt))
        if _identity(row) not in intact:
            yield Loss(row, cut)


def _intact(excerpt: Excerpt) -> Iterable[_Identity]:
    return (
        _identity(row)
        for row in excerpt.rows
        if row.appended == Appended.YES and row.producer_id >= 0 and excerpt.cut_offset(row) is None
    )


def _identity(row: Row) -> _Identity:
    return row.place, row.producer_id, row.producer_epoch, row.base_sequence, row.record_count


def _is_promised(row: Row, excerpt: Excerpt) -> bool:
    """Tell whether a row's records are to stay: those of a transaction if it has committed."""
    if not row.is_transactional:
        return True
    producer = row.producer_id, row.producer_epoch
    for decision in excerpt.decisions:
        is_its = (decision.producer_id, decision.producer_epoch) == producer
        if is_its and decision.order > row.appended_at:
            return decision.is_commit
    return False


def _why(loss: Loss, excerpt: Excerpt) -> str:
    row = loss.row
    truncations = excerpt.truncations.get(row.place, ())
    if any(moment > row.appended_at and end <= row.last_offset for moment, end in truncations):
        return f"the log was cut back to offset {loss.first_offset}"
    return f"from offset {loss.first_offset} on the log has what another leader wrote, or nothing"


def _told(loss: Loss, excerpt: Excerpt) -> Finding:
    row, place = loss.row, excerpt.places[loss.row.place]
    whom = f"acknowledged to {excerpt.client_of(row)} (call {row.call_number})"
    if loss.first_offset < 0:
        return Finding(
            text=f"{place}: a batch of {row.record_count} was {whom}, and never appended",
            advice="who answered without an error? A fault may have.",
            topic=place.topic,
            partition=place.partition,
        )
    return Finding(
        text=f"{place}: {batch_text(row)}: {whom}, and gone: {_why(loss, excerpt)}",
        advice=_KEEP,
        topic=place.topic,
        partition=place.partition,
        ghost=Ghost(loss.first_offset, row.last_offset, row.producer_id, row.producer_epoch),
    )
