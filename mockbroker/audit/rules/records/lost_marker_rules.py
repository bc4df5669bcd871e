"""ACKED_NOT_DURABLE and ABORTED_VISIBLE of transactions whose markers were truncated.

The next marker of the producer then ends such a transaction in that log, whatever was decided: its
records are aborted though the application committed them, or the other way round.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.finding import Finding
from mockbroker.audit.log_evidence import Decided, LogEvidence
from mockbroker.audit.rules.rule_table import RULES

_ADVICE: Final = (
    "the leader that was elected did not have the marker. With unclean.leader.election.enable=false"
    " and min.insync.replicas=2 a marker stays."
)


class OtherEnd(NamedTuple):
    """A batch of a transaction that the marker of a later one ends."""

    attempt: Attempt
    is_commit: bool
    """Of that marker."""


def other_ends(log: LogEvidence) -> Iterator[OtherEnd]:
    """Yield the stored batches of transactions that other markers may have ended."""
    ends = log.ends() if log.cuts else {}
    for attempt in log.attempts if ends else ():
        is_commit = ends.get(attempt.base_offset)
        if is_commit is None or not (attempt.is_transactional and attempt.is_stored):
            continue
        if log.cut_offset(attempt) is None:
            yield OtherEnd(attempt, is_commit)


def end_findings(ends: Iterable[OtherEnd], log: LogEvidence) -> Iterator[Finding]:
    """Yield a finding for each batch that was decided otherwise than the log has it.

    Committed records that were not acknowledged are not promised.
    """
    for attempt, is_commit in ends:
        decided = log.decision_of(attempt)
        if decided is None or decided.is_commit == is_commit:
            continue
        if is_commit or attempt.is_acknowledged:
            yield _finding(attempt, decided, log)


def _finding(attempt: Attempt, decided: Decided, log: LogEvidence) -> Finding:
    if decided.is_commit:
        rule = RULES["ACKED_NOT_DURABLE"]
        text = f"acknowledged to {attempt.client} (call {attempt.call}) and committed, but aborted"
    else:
        rule = RULES["ABORTED_VISIBLE"]
        text = "aborted, but committed for readers"
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        text=f"{log.place}: {attempt.text}: {text} by a later marker: its own one was truncated",
        advice=_ADVICE,
        topic=log.topic,
        partition=log.partition,
        producer_id=attempt.producer_id,
        producer_epoch=attempt.producer_epoch,
        first_offset=attempt.base_offset,
        last_offset=attempt.last_offset,
        virtual_time_ms=attempt.time_ms,
        evidence=tuple(sorted({*attempt.evidence, decided.at})),
    )
