"""DUPLICATE_PAYLOAD: records that are in a log twice, although they were sent once.

Rules:

1. Two records are one that was sent once if both are in the same log with the same identity, and
   the second is a repetition of the first: it has the same producer id, epoch and sequence; or it
   is from a client with the same id that had not got the acknowledgement of the first, and had
   stopped waiting for it (an error, or another connection); or one request was applied twice.
2. Records that an application sends twice are no duplicates, however equal: the first one was
   acknowledged before the second one was sent. A test that knows better identifies records by a
   key.
3. Aborted, truncated or deleted records are not in the log, so they are no duplicates.
4. A sequence that is used again for a different record is no duplicate.

The evidence defines the identity of records: key, value, headers and, if the client set it, the
timestamp; or the checksum of the batch, which covers all of these.
"""

from collections import defaultdict
from collections.abc import Container, Hashable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.finding import BE_IDEMPOTENT, Finding
from mockbroker.audit.log_evidence import LogEvidence
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import SEQUENCES
from mockbroker.events.produce_outcome import Appended, ResponseOutcome

DUPLICATE_PAYLOAD: Final = "DUPLICATE_PAYLOAD"

_KEEP_IDENTITY: Final = (
    "a broker recognises a batch by producer id, epoch and sequence. Here the producer used others "
    "for the retry, or the leader had forgotten them."
)


class _Occurrence(NamedTuple):
    offset: int
    records: int
    attempt: Attempt


_Pair: TypeAlias = tuple[_Occurrence, _Occurrence]


class Repetition(NamedTuple):
    """Records that a batch has in common with an earlier one."""

    first: Attempt
    second: Attempt
    offsets: tuple[tuple[int, int], ...]
    """Pairs of offsets: of a record, or a batch, and of its repetition."""
    last_offset: int
    """The last offset of the repetition."""
    records: int


def payload_findings(log: LogEvidence) -> list[Finding]:
    """Return the findings for records that are in the log twice, although they were sent once."""
    return [payload_finding(repetition, log) for repetition in repetitions(log)]


def repetitions(log: LogEvidence) -> Iterator[Repetition]:
    """Yield the repetitions in a log."""
    stored = [each for each in log.attempts if each.appended == Appended.YES]
    suspects = list(_suspects(stored))
    if suspects:
        since = min(each.came_at for each in suspects)
        suspected = {each.appended_at for each in suspects}
        yield from _repeated([each for each in stored if each.came_at >= since], suspected, log)


def _suspects(stored: Sequence[Attempt]) -> Iterator[Attempt]:
    """Yield the batches that may have been appended again."""
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
    """Return whether the client may not know that the batch is stored when the next one arrives."""
    if attempt.call == later.call:
        return True
    is_waited_for = attempt.answer != ResponseOutcome.UNWANTED
    return is_waited_for and not attempt.was_acknowledged_before(later.came_at)


def is_same_sequence(first: Attempt, second: Attempt) -> bool:
    """Return whether two batches of one producer and epoch have sequences in common."""
    producer = first.producer_id, first.producer_epoch
    if first.producer_id < 0 or producer != (second.producer_id, second.producer_epoch):
        return False
    distance = (second.base_sequence - first.base_sequence) % SEQUENCES
    return distance < first.record_count or SEQUENCES - distance < second.record_count


def is_repetition(first: Attempt, second: Attempt) -> bool:
    """Return whether a batch may be another try of one that was appended before it."""
    if first.call == second.call:
        return second.is_repeated
    if is_same_sequence(first, second):
        return True
    if (
        first.answer == ResponseOutcome.UNWANTED
        or first.client_id != second.client_id
        or first.was_acknowledged_before(second.came_at)
    ):
        return False
    return first.connection != second.connection or 0 < first.answered_at < second.came_at


def _repeated(
    stored: Sequence[Attempt], suspected: Container[int], log: LogEvidence
) -> Iterator[Repetition]:
    occurrences: defaultdict[Hashable, list[_Occurrence]] = defaultdict(list)
    aborted = {offset for offset, is_commit in log.ends().items() if not is_commit}
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
    """Pair equal records: each record of one batch repeats at most one of the other."""
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
    """Return the finding for a repetition."""
    first, second, offsets, last_offset, count = repetition
    rule = RULES[DUPLICATE_PAYLOAD]
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        text=f"{log.place}: {second.text} {'repeats' if count == 1 else 'repeat'} {first.text} "
        f"({count} {'record' if count == 1 else 'records'}), sent by {second.client} in call "
        f"{second.call}: {_why_again(first, second)}",
        advice=BE_IDEMPOTENT if second.producer_id < 0 else _KEEP_IDENTITY,
        topic=log.topic,
        partition=log.partition,
        producer_id=second.producer_id,
        producer_epoch=second.producer_epoch,
        first_offset=offsets[0][1],
        last_offset=last_offset,
        copied_offset=first.base_offset,
        virtual_time_ms=second.time_ms,
        evidence=tuple(sorted({*first.evidence, *second.evidence})),
    )


def _why_again(first: Attempt, second: Attempt) -> str:
    if first.call == second.call:
        return "the request was applied twice"
    response = f"the response to call {first.call}"
    if first.answer == ResponseOutcome.LOST:
        return f"{response} was lost"
    if first.answer == ResponseOutcome.NONE_YET:
        return f"{response} was not sent yet"
    if first.error is not None:
        return f"{response} was {first.error}, although the batch was appended"
    if first.was_acknowledged_before(second.came_at):
        return f"the client ignored {response}"
    return f"{response} came too late"
