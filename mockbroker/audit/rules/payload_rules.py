"""DUPLICATE_PAYLOAD: which records are in a log twice though they were sent once.

Rules:

1. Two records are one that was sent once, if both are in the same log with the same identity, and
   the second came as a repetition of the first: with the same producer id, epoch and sequence; or
   from a client of the same id that had not been told that the first is stored, and had given up
   waiting for it (an error, or another connection); or in one request that was applied twice.
2. What an application sends twice is not a duplicate, however equal: the first was acknowledged
   before the second came. Whoever knows that it is one says so by a key of the records.
3. What was aborted, cut off or deleted is in the log no more, and no duplicate.
4. A sequence that is used again for another record is no duplicate.

What is equal is for the evidence to say: by key, value, headers and, if the client set it,
timestamp; or by the checksum of the batch, which covers all of these.
"""

from collections import defaultdict
from collections.abc import Container, Hashable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.finding import BE_IDEMPOTENT, Finding
from mockbroker.audit.log_evidence import LogEvidence
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import SEQUENCES
from mockbroker.events.produce_outcome import Answer, Appended

DUPLICATE_PAYLOAD: Final = "DUPLICATE_PAYLOAD"

_KEEP_IDENTITY: Final = (
    "the broker knows a batch again by producer id, epoch and sequence: here the producer came "
    "with others, or the leader had forgotten them."
)


class _Occurrence(NamedTuple):
    offset: int
    records: int
    attempt: Attempt


_Pair: TypeAlias = tuple[_Occurrence, _Occurrence]


class Repetition(NamedTuple):
    """Records that a batch has in common with one before it."""

    first: Attempt
    second: Attempt
    offsets: tuple[tuple[int, int], ...]
    """Pairs of offsets: of a record, or of a batch, and of its repetition."""
    last_offset: int
    """The last of the repetition."""
    records: int


def payload_findings(log: LogEvidence) -> list[Finding]:
    """Find what was sent once and is there twice."""
    return [payload_finding(repetition, log) for repetition in repetitions(log)]


def repetitions(log: LogEvidence) -> Iterator[Repetition]:
    """Yield what is there twice."""
    stored = [each for each in log.attempts if each.appended == Appended.YES]
    suspects = list(_suspects(stored))
    if suspects:
        since = min(each.came_at for each in suspects)
        suspected = {each.appended_at for each in suspects}
        yield from _repeated([each for each in stored if each.came_at >= since], suspected, log)


def _suspects(stored: Sequence[Attempt]) -> Iterator[Attempt]:
    """Yield the batches of which a repetition may have been appended."""
    by_producer: defaultdict[tuple[int, int], list[Attempt]] = defaultdict(list)
    for index, attempt in enumerate(stored):
        if index + 1 < len(stored) and _may_come_again(attempt, stored[index + 1]):
            yield attempt
        if attempt.producer_id >= 0:
            before = by_producer[attempt.producer_id, attempt.producer_epoch]
            if before and before[-1].end_sequence != attempt.base_sequence:
                yield from (each for each in before if is_same_sequence(each, attempt))
            before.append(attempt)


def _may_come_again(attempt: Attempt, later: Attempt) -> bool:
    """Tell whether its client may not know that it is stored when the next one comes."""
    if attempt.call == later.call:
        return True
    is_waited_for = attempt.answer != Answer.UNWANTED
    return is_waited_for and not attempt.was_acknowledged_before(later.came_at)


def is_same_sequence(first: Attempt, second: Attempt) -> bool:
    """Tell whether two batches of one producer and epoch have sequences in common."""
    producer = first.producer_id, first.producer_epoch
    if first.producer_id < 0 or producer != (second.producer_id, second.producer_epoch):
        return False
    distance = (second.base_sequence - first.base_sequence) % SEQUENCES
    return distance < first.record_count or SEQUENCES - distance < second.record_count


def is_repetition(first: Attempt, second: Attempt) -> bool:
    """Tell whether a batch may be another try of one that was appended before it."""
    if first.call == second.call:
        return second.is_repeated
    if is_same_sequence(first, second):
        return True
    if (
        first.answer == Answer.UNWANTED
        or first.client_id != second.client_id
        or first.was_acknowledged_before(second.came_at)
    ):
        return False
    return first.connection != second.connection or 0 < first.answered_at < second.came_at


def _repeated(
    stored: Sequence[Attempt], suspected: Container[int], log: LogEvidence
) -> Iterator[Repetition]:
    occurrences: defaultdict[Hashable, list[_Occurrence]] = defaultdict(list)
    aborted = log.aborted()
    for attempt in sorted(stored, key=lambda each: each.appended_at):
        if attempt.base_offset in aborted:
            continue
        cut = log.cut_offset(attempt)
        last = attempt.last_offset if cut is None else cut - 1
        for offset, records, identity in log.identities(attempt, last):
            occurrences[identity].append(_Occurrence(offset, records, attempt))
    pairs: defaultdict[tuple[Attempt, Attempt], list[_Pair]] = defaultdict(list)
    for alike in occurrences.values():
        for first, second in _matched(alike, suspected):
            pairs[first.attempt, second.attempt].append((first, second))
    found = (
        Repetition(
            first,
            second,
            tuple(sorted((one.offset, other.offset) for one, other in matches)),
            max(other.offset + other.records - 1 for _, other in matches),
            sum(other.records for _, other in matches),
        )
        for (first, second), matches in pairs.items()
    )
    yield from sorted(found, key=lambda each: each.offsets[0])


def _matched(alike: Sequence[_Occurrence], suspected: Container[int]) -> Iterator[_Pair]:
    """Pair equal records: each of one batch repeats at most one of another."""
    used: set[tuple[int, int]] = set()
    before: list[_Occurrence] = []
    for later in alike:
        moment = later.attempt.appended_at
        for first in before:
            if (
                first.attempt is not later.attempt
                and (first.offset, moment) not in used
                and is_repetition(first.attempt, later.attempt)
            ):
                used.add((first.offset, moment))
                yield first, later
                break
        if moment in suspected:
            before.append(later)


def payload_finding(repetition: Repetition, log: LogEvidence) -> Finding:
    """Tell of a repetition."""
    first, second, offsets, last_offset, count = repetition
    rule = RULES[DUPLICATE_PAYLOAD]
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        text=f"{log.place}: {second.text} {'is' if count == 1 else 'are'} {first.text} again "
        f"({count} {'record' if count == 1 else 'records'}), from {second.client} in call "
        f"{second.call}: {_why_again(first, second)}",
        advice=BE_IDEMPOTENT if second.producer_id < 0 else _KEEP_IDENTITY,
        topic=log.topic,
        partition=log.partition,
        producer_id=second.producer_id,
        producer_epoch=second.producer_epoch,
        first_offset=offsets[0][1],
        last_offset=last_offset,
        virtual_time_ms=second.time_ms,
        evidence=tuple(sorted({*first.evidence, *second.evidence})),
    )


def _why_again(first: Attempt, second: Attempt) -> str:
    if first.call == second.call:
        return "the request was applied twice"
    call = f"of call {first.call}"
    if first.answer == Answer.LOST:
        return f"the answer {call} was lost"
    if first.answer == Answer.NONE_YET:
        return f"no answer {call} has come yet"
    if first.error is not None:
        return f"the answer {call} was {first.error}, though it was appended"
    if first.was_acknowledged_before(second.came_at):
        return f"it did not go by the answer {call}"
    return f"the answer {call} came too late"
