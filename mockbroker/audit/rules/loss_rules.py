"""LOST_ACKED and ACKED_NOT_DURABLE: what was acknowledged and is gone, though nobody asked for it.

Rules:

1. Only what was acknowledged can be lost: its client was handed an answer without an error. What
   was sent with acks=0 was never promised.
2. What DeleteRecords, retention, compaction and the deletion of a topic take away is not lost.
3. Of a transaction that was aborted nothing can be lost, and of one that is open not yet.
4. A batch that stands in the log once more, under the same producer id, epoch and sequence, is not
   lost.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.finding import Finding
from mockbroker.audit.log_evidence import LogEvidence
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.events.produce_outcome import Appended

LOST_ACKED: Final = "LOST_ACKED"
ACKED_NOT_DURABLE: Final = "ACKED_NOT_DURABLE"

_WHO_ANSWERED: Final = "look for the cause of the successful response: it may be a fault."
_KEEP: Final = (
    "with acks=1 only the leader has the record, and the next leader may lack it. With acks=all "
    "and min.insync.replicas=2 a record is acknowledged when two brokers have it."
)
_Identity: TypeAlias = tuple[int, int, int, int]


class Loss(NamedTuple):
    """Records that were acknowledged and are gone."""

    attempt: Attempt
    first_offset: int
    """Where they begin; -1 where they never were in the log."""


def loss_findings(log: LogEvidence) -> list[Finding]:
    """Find what a log has lost, in the order in which it was sent."""
    return [loss_finding(loss, log) for loss in lost(log)]


def lost(log: LogEvidence) -> Iterator[Loss]:
    """Yield what was lost, in the order in which it was sent."""
    intact: set[_Identity] | None = None
    for attempt in log.attempts:
        if not attempt.is_acknowledged:
            continue
        if attempt.appended == Appended.NO:
            yield Loss(attempt, -1)
            continue
        cut = log.cut_offset(attempt)
        if cut is None or not log.is_promised(attempt):
            continue
        if intact is None:
            intact = set(_intact(log))
        if _identity(attempt) not in intact:
            yield Loss(attempt, cut)


def _intact(log: LogEvidence) -> Iterator[_Identity]:
    return (
        _identity(attempt)
        for attempt in log.attempts
        if attempt.appended == Appended.YES
        and attempt.producer_id >= 0
        and log.cut_offset(attempt) is None
    )


def _identity(attempt: Attempt) -> _Identity:
    return (
        attempt.producer_id,
        attempt.producer_epoch,
        attempt.base_sequence,
        attempt.record_count,
    )


def loss_finding(loss: Loss, log: LogEvidence) -> Finding:
    """Report one loss."""
    attempt, first_offset = loss
    whom = f"acknowledged to {attempt.client} (call {attempt.call})"
    cut = log.cut_of(attempt)
    is_known = first_offset >= 0
    if not is_known:
        text = f"{log.place}: a batch of {attempt.record_count} was {whom}, but never appended"
    else:
        why = f"from offset {first_offset} on, the log has records of another leader, or none"
        if cut is not None:
            why = f"the log was truncated to offset {cut.end_offset}"
        text = f"{log.place}: {attempt.text}: {whom}, and lost: {why}"
    rule = RULES[ACKED_NOT_DURABLE if is_known else LOST_ACKED]
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        text=text,
        advice=_KEEP if is_known else _WHO_ANSWERED,
        topic=log.topic,
        partition=log.partition,
        producer_id=attempt.producer_id,
        producer_epoch=attempt.producer_epoch,
        first_offset=first_offset if is_known else None,
        last_offset=attempt.last_offset if is_known else None,
        virtual_time_ms=attempt.time_ms,
        evidence=attempt.evidence if cut is None else (*attempt.evidence, cut.at),
    )
