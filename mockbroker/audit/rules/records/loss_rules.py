"""LOST_ACKED and ACKED_NOT_DURABLE: acknowledged records that are lost, without a deletion.

Rules:

1. Only acknowledged records can be lost: the client got a response without an error. Records sent
   with acks=0 have no promise.
2. Records that DeleteRecords, retention, compaction or the deletion of a topic remove are not lost.
3. Records of an aborted transaction cannot be lost, nor can those of an open one, for now.
4. A batch with another copy in the log, under the same producer id, epoch and sequence, is not
   lost, unless the client knew of the first one when it sent the second one: that is another batch.

"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.finding import Finding
from mockbroker.audit.log_evidence import (
    Decided,
    Elected,
    LogEvidence,
    LogTruncation,
    by_producer,
)
from mockbroker.audit.rules.records.lost_marker_rules import OtherEnd, end_findings, other_ends
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.events.produce_outcome import Appended

LOST_ACKED: Final = "LOST_ACKED"
ACKED_NOT_DURABLE: Final = "ACKED_NOT_DURABLE"

_WHO_ANSWERED: Final = "look for the cause of the successful response: it may be a fault."
_KEEP: Final = (
    "with acks=1 only the leader has the record, and the next leader may lack it. With acks=all "
    "and min.insync.replicas=2 a record is acknowledged when two brokers have it."
)
LISTED_MAX: Final = 20
"""Maximum number of lost batches that one finding lists."""
_Cause: TypeAlias = tuple[int | None, tuple[int, ...]]
"""Moment of a truncation or an election; without one, the moments of the batch itself."""
_Identity: TypeAlias = tuple[int, int, int, int]


class Loss(NamedTuple):
    """Acknowledged records that the log no longer has."""

    attempt: Attempt
    first_offset: int
    """The first lost offset; -1 if the records never were in the log."""

    def is_promised(self, log: LogEvidence) -> bool:
        """Return whether the records must be in the log."""
        return self.first_offset < 0 or log.is_promised(self.attempt)


class LogLosses(NamedTuple):
    """What may be lost of a log: the outcome of transactions is known elsewhere."""

    log: LogEvidence
    losses: Sequence[Loss]
    ends: Sequence[OtherEnd] = ()

    def findings(self, decisions: Mapping[int, Sequence[Decided]]) -> Iterator[Finding]:
        """Yield the findings for what was promised; `decisions` are those of coordinators."""
        concerned = self.producers
        known = (decisions.get(each, ()) for each in concerned)
        markers = (self.log.decisions.get(each, ()) for each in concerned)
        log = replace(self.log, decisions=by_producer(chain(*known, *markers)))
        yield from losses_by_cause((each for each in self.losses if each.is_promised(log)), log)
        yield from end_findings(self.ends, log)

    @property
    def producers(self) -> set[int]:
        """The producers whose decisions are needed."""
        attempts = [each.attempt for each in self.losses] + [each.attempt for each in self.ends]
        return {each.producer_id for each in attempts}


def loss_findings(log: LogEvidence) -> list[Finding]:
    """Return the findings for a log's losses, in the order in which the records were sent."""
    found = [loss_finding(each, log) for each in lost(log) if each.is_promised(log)]
    return [*found, *end_findings(other_ends(log), log)]


def lost(log: LogEvidence) -> Iterator[Loss]:
    """Yield the losses of a log, those of aborted transactions too, in order of its attempts."""
    found: list[Loss] = []
    for attempt in log.attempts:
        if not attempt.is_acknowledged:
            continue
        cut = -1 if attempt.appended == Appended.NO else log.cut_offset(attempt)
        if cut is not None:
            found.append(Loss(attempt, cut))
    alike: dict[_Identity, list[Attempt]] = {_identity(each.attempt): [] for each in found}
    for attempt in log.attempts if found else ():
        is_stored = attempt.appended == Appended.YES and attempt.producer_id >= 0
        if is_stored and _identity(attempt) in alike and log.cut_offset(attempt) is None:
            alike[_identity(attempt)].append(attempt)
    for each in found:
        copies = (_is_copy(stored, each.attempt) for stored in alike[_identity(each.attempt)])
        if each.first_offset < 0 or not any(copies):
            yield each


def _is_copy(stored: Attempt, gone: Attempt) -> bool:
    """Return whether a batch in the log may be another try of one that was lost.

    A producer that a broker has forgotten begins its sequences anew, with other records: it does
    not send again what it knows to be stored. It may not have got a response that was given.
    """
    first, second = sorted((stored, gone), key=lambda each: each.appended_at)
    was_known = first.is_acknowledged and first.answered_at < second.came_at
    if was_known and stored.crc is not None and gone.crc is not None:
        return stored.crc == gone.crc
    return not was_known or first is gone


def _identity(attempt: Attempt) -> _Identity:
    return (
        attempt.producer_id,
        attempt.producer_epoch,
        attempt.base_sequence,
        attempt.record_count,
    )


def loss_finding(loss: Loss, log: LogEvidence) -> Finding:
    """Return the finding for one loss."""
    attempt, first_offset = loss
    whom = f"acknowledged to {attempt.client} (call {attempt.call})"
    is_known = first_offset >= 0
    cut = log.cut_of(attempt) if is_known else None
    replacement = log.replacement_of(attempt) if is_known else None
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
        evidence=_proof(attempt, cut, replacement),
    )


def losses_by_cause(losses: Iterable[Loss], log: LogEvidence) -> Iterator[Finding]:
    """Yield a finding for each truncation or replaced leader, with all that was lost by it."""
    alike: defaultdict[_Cause, list[Loss]] = defaultdict(list)
    for each in losses:
        cause: Elected | LogTruncation | None = None
        if each.first_offset >= 0:
            cause = log.replacement_of(each.attempt) or log.cut_of(each.attempt)
        alone = each.attempt.evidence if cause is None else ()
        alike[None if cause is None else cause.at, alone].append(each)
    for (cause_at, _), lost_together in alike.items():
        found = [loss_finding(each, log) for each in lost_together]
        yield found[0] if cause_at is None or len(found) == 1 else _together(found, log)


def _together(found: Sequence[Finding], log: LogEvidence) -> Finding:
    """Return one finding for the batches that were lost together."""
    first, last = _edges(found)
    producers = {(each.producer_id, each.producer_epoch) for each in found}
    producer_id, producer_epoch = next(iter(producers)) if len(producers) == 1 else (None, None)
    said = [each.text.removeprefix(f"{log.place}: ") for each in found]
    why = said[0].partition(", and lost: ")[2]
    listed = [each.partition(", and lost: ")[0] for each in said[:LISTED_MAX]]
    more = [f"and {len(said) - LISTED_MAX:,} more"] if len(said) > LISTED_MAX else []
    return found[0]._replace(
        text=f"{log.place}: {len(found):,} acknowledged batches (offsets {first}..{last}) "
        f"are lost: {why}",
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        first_offset=first,
        last_offset=last,
        evidence=tuple(sorted({seq for each in found for seq in each.evidence})),
        consequences=(*listed, *more),
    )


def _edges(found: Sequence[Finding]) -> tuple[int, int]:
    firsts = [each.first_offset for each in found if each.first_offset is not None]
    lasts = [each.last_offset for each in found if each.last_offset is not None]
    return min(firsts), max(lasts)


def _proof(
    attempt: Attempt, cut: LogTruncation | None, replacement: Elected | None
) -> tuple[int, ...]:
    moments = [each.at for each in (cut, replacement) if each is not None]
    return tuple(sorted({*attempt.evidence, *moments}))
