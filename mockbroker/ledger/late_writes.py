"""Writes that came too late: of a producer that was fenced, or of a transaction that was over."""

from collections.abc import Iterator
from typing import Final

from mockbroker.audit.attempt import Appended, Attempt
from mockbroker.audit.log_evidence import LogEvidence
from mockbroker.ledger.excerpt import Excerpt
from mockbroker.ledger.finding import Finding
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
        _zombie(log, attempt, given)
        for log, attempt in _appended(excerpt)
        if (given := replaced.get((attempt.producer_id, attempt.producer_epoch))) is not None
        and attempt.appended_at > given.order
        and log.cut_offset(attempt) is None
        and _outcome(excerpt, log, attempt) not in {"aborted", None}
    ]


def late_findings(excerpt: Excerpt) -> list[Finding]:
    """Find what was sent in a transaction that was aborted, and is committed with the next one."""
    findings: list[Finding] = []
    aborts = [decision for decision in excerpt.decisions if not decision.is_commit]
    for log, attempt in _appended(excerpt):
        producer = attempt.producer_id, attempt.producer_epoch
        for decision in aborts:
            if (
                (decision.producer_id, decision.producer_epoch) == producer
                and attempt.came_at < decision.order < attempt.appended_at
                and log.cut_offset(attempt) is None
                and _outcome(excerpt, log, attempt) == "committed"
            ):
                findings.append(_late(log, attempt, decision.transactional_id))
                break
    return findings


def _appended(excerpt: Excerpt) -> Iterator[tuple[LogEvidence, Attempt]]:
    return (
        (log, attempt)
        for log in excerpt.logs
        for attempt in log.attempts
        if attempt.appended == Appended.YES and attempt.producer_id >= 0
    )


def _outcome(excerpt: Excerpt, log: LogEvidence, attempt: Attempt) -> str | None:
    """Return what became of a batch; None where it is deleted by now."""
    batches = excerpt.views(log).batches
    return next((each.outcome for each in batches if each.base_offset == attempt.base_offset), None)


def _zombie(log: LogEvidence, attempt: Attempt, given: EpochGiven) -> Finding:
    return Finding(
        text=f"{log.place}: {attempt.text} was appended after {given.transactional_id!r} had been "
        f"given producer {given.producer_id} epoch {given.producer_epoch}: its writer was fenced",
        advice=_VERIFY,
        topic=log.topic,
        partition=log.partition,
        base_offset=attempt.base_offset,
        note="ZOMBIE",
    )


def _late(log: LogEvidence, attempt: Attempt, transactional_id: str) -> Finding:
    return Finding(
        text=f"{log.place}: {attempt.text} was sent before {transactional_id!r} aborted, came "
        "after it, and is committed with the next transaction",
        advice=_VERIFY,
        topic=log.topic,
        partition=log.partition,
        base_offset=attempt.base_offset,
        note="LATE, COMMITTED",
    )
