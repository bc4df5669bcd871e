"""Writes that came too late: of a producer that was fenced, or of a transaction that was over."""

from collections.abc import Iterator
from typing import Final

from mockbroker.ledger.excerpt import Excerpt, batch_text
from mockbroker.ledger.finding import Finding
from mockbroker.ledger.row import Appended, Row
from mockbroker.ledger.transaction_event import EpochGiven

_VERIFY: Final = (
    "brokers before Kafka 3.6 take such a batch where they have not seen the newer epoch or the "
    "marker; later ones verify it with the coordinator and refuse it (KIP-890)."
)


def zombie_findings(excerpt: Excerpt) -> list[Finding]:
    """Find what was appended for a producer after a newer one had taken its place.

    What is aborted, as by the coordinator that fences, does no harm.
    """
    replaced = {
        (given.previous_producer_id, given.previous_producer_epoch): given
        for given in excerpt.epochs
    }
    return [
        _zombie(excerpt, row, given)
        for row in _appended(excerpt)
        if (given := replaced.get((row.producer_id, row.producer_epoch))) is not None
        and row.appended_at > given.order
        and _outcome(excerpt, row) not in {"aborted", None}
    ]


def late_findings(excerpt: Excerpt) -> list[Finding]:
    """Find what was sent in a transaction that was aborted, and is committed with the next one."""
    findings: list[Finding] = []
    aborts = [decision for decision in excerpt.decisions if not decision.is_commit]
    for row in _appended(excerpt):
        producer = row.producer_id, row.producer_epoch
        for decision in aborts:
            if (
                (decision.producer_id, decision.producer_epoch) == producer
                and row.came_at < decision.order < row.appended_at
                and _outcome(excerpt, row) == "committed"
            ):
                findings.append(_late(excerpt, row, decision.transactional_id))
                break
    return findings


def _appended(excerpt: Excerpt) -> Iterator[Row]:
    return (
        row
        for row in excerpt.rows
        if row.appended == Appended.YES and row.producer_id >= 0 and excerpt.cut_offset(row) is None
    )


def _outcome(excerpt: Excerpt, row: Row) -> str | None:
    """Return what became of a batch; None where it is deleted by now."""
    batches = excerpt.views(row.place).batches
    return next((each.outcome for each in batches if each.base_offset == row.base_offset), None)


def _zombie(excerpt: Excerpt, row: Row, given: EpochGiven) -> Finding:
    place = excerpt.places[row.place]
    return Finding(
        text=f"{place}: {batch_text(row)} was appended after {given.transactional_id!r} had been "
        f"given producer {given.producer_id} epoch {given.producer_epoch}: its writer was fenced",
        advice=_VERIFY,
        topic=place.topic,
        partition=place.partition,
        base_offset=row.base_offset,
        note="ZOMBIE",
    )


def _late(excerpt: Excerpt, row: Row, transactional_id: str) -> Finding:
    place = excerpt.places[row.place]
    return Finding(
        text=f"{place}: {batch_text(row)} was sent before {transactional_id!r} aborted, came after "
        "it, and is committed with the next transaction",
        advice=_VERIFY,
        topic=place.topic,
        partition=place.partition,
        base_offset=row.base_offset,
        note="LATE, COMMITTED",
    )
