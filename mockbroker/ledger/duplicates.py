"""Which records are in a log twice though they were sent once.

The laws:

1. Two records are one that was sent once, if both are in the same partition with the same key,
   value, headers and timestamp, and the second came as a repetition of the first: with the same
   producer id, epoch and sequence; or from a client of the same id that had not been told that the
   first is stored, and had given up waiting for it (an error, or another connection); or in one
   request that was applied twice.
2. What an application sends twice is not a duplicate, however equal: the first was acknowledged
   before the second came. Whoever knows that it is one says so by a key (`repeated_keys`).
3. What was aborted, cut off or deleted is in the log no more, and no duplicate.
4. A sequence that is used again for another record is no duplicate.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.ledger.excerpt import Excerpt, batch_text
from mockbroker.ledger.finding import Finding
from mockbroker.ledger.row import Answer, Appended, Flag, Row
from mockbroker.protocol.errors import ErrorCode
from mockbroker.stored_records import StoredRecord

_SEQUENCES: Final = 1 << 31
_BE_IDEMPOTENT: Final = (
    "enable.idempotence=true has the broker recognise what a producer sends again; where records "
    "may repeat by design, have readers drop them by a key of theirs."
)
_KEEP_IDENTITY: Final = (
    "the broker knows a batch again by producer id, epoch and sequence: here the producer came "
    "with others, or the leader had forgotten them."
)

_Occurrence: TypeAlias = tuple[int, Row]


class Repetition(NamedTuple):
    """Records that a batch has in common with one before it."""

    first: Row
    second: Row
    offsets: tuple[tuple[int, int], ...]
    """Pairs of offsets: of the record, and of its repetition."""


def duplicate_findings(excerpt: Excerpt) -> list[Finding]:
    """Find what was sent once and is there twice."""
    return [_told(repetition, excerpt) for repetition in repetitions(excerpt)]


def repetitions(excerpt: Excerpt) -> Iterator[Repetition]:
    """Yield what is there twice, partition by partition."""
    by_place: defaultdict[int, list[Row]] = defaultdict(list)
    for row in excerpt.rows:
        if row.appended == Appended.YES:
            by_place[row.place].append(row)
    for place, rows in sorted(by_place.items()):
        since = min((row.came_at for row in _suspects(rows)), default=None)
        if since is not None:
            yield from _repeated([row for row in rows if row.came_at >= since], excerpt, place)


def _suspects(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows of a partition of which a repetition may have been appended."""
    next_sequences: dict[tuple[int, int], Row] = {}
    for index, row in enumerate(rows):
        later = rows[index + 1] if index + 1 < len(rows) else None
        if later is not None and not row.was_acknowledged_before(later.came_at):
            yield row
        if row.producer_id >= 0:
            before = next_sequences.setdefault((row.producer_id, row.producer_epoch), row)
            if before is not row and before.end_sequence != row.base_sequence:
                yield from (each for each in rows[:index] if _is_same_sequence(each, row))
            next_sequences[row.producer_id, row.producer_epoch] = row


def _is_same_sequence(first: Row, second: Row) -> bool:
    """Tell whether two batches of one producer and epoch have sequences in common."""
    producer = first.producer_id, first.producer_epoch
    if first.producer_id < 0 or producer != (second.producer_id, second.producer_epoch):
        return False
    distance = (second.base_sequence - first.base_sequence) % _SEQUENCES
    return distance < first.record_count or _SEQUENCES - distance < second.record_count


def _is_repetition(first: Row, second: Row, clients: Mapping[int, str | None]) -> bool:
    """Tell whether a batch may be another try of one that was appended before it."""
    if first.call_number == second.call_number:
        return second.flags & Flag.REPEATED != 0
    if _is_same_sequence(first, second):
        return True
    if (
        first.answer == Answer.UNWANTED
        or clients.get(first.connection) != clients.get(second.connection)
        or first.was_acknowledged_before(second.came_at)
    ):
        return False
    return first.connection != second.connection or 0 < first.answered_at < second.came_at


def _repeated(rows: Sequence[Row], excerpt: Excerpt, place: int) -> Iterator[Repetition]:
    aborted = {
        batch.base_offset for batch in excerpt.views(place).batches if batch.outcome == "aborted"
    }
    occurrences: defaultdict[Hashable, list[_Occurrence]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.appended_at):
        if row.base_offset in aborted:
            continue
        cut = excerpt.cut_offset(row)
        last = row.last_offset if cut is None else cut - 1
        for offset, identity in excerpt.contents(place, row.base_offset, last):
            occurrences[identity].append((offset, row))
    pairs: defaultdict[tuple[Row, Row], list[tuple[int, int]]] = defaultdict(list)
    for alike in occurrences.values():
        for first, second in _matched(alike, excerpt.clients):
            pairs[first[1], second[1]].append((first[0], second[0]))
    for (first_row, second_row), offsets in sorted(pairs.items(), key=lambda item: min(item[1])):
        yield Repetition(first_row, second_row, tuple(sorted(offsets)))


def _matched(
    alike: Sequence[_Occurrence], clients: Mapping[int, str | None]
) -> Iterator[tuple[_Occurrence, _Occurrence]]:
    """Pair equal records: each of one batch repeats at most one of another."""
    used: set[tuple[int, Row]] = set()
    for index, (offset, row) in enumerate(alike):
        for before_offset, before in alike[:index]:
            if (before_offset, row) in used or before is row:
                continue
            if _is_repetition(before, row, clients):
                used.add((before_offset, row))
                yield (before_offset, before), (offset, row)
                break


def _told(repetition: Repetition, excerpt: Excerpt) -> Finding:
    first, second, offsets = repetition
    place = excerpt.places[second.place]
    count = len(offsets)
    return Finding(
        text=f"{place}: {batch_text(second)} {'is' if count == 1 else 'are'} {batch_text(first)} "
        f"again ({count} {'record' if count == 1 else 'records'}), from "
        f"{excerpt.client_of(second)} in call {second.call_number}: {_why_again(first, second)}",
        advice=_BE_IDEMPOTENT if second.producer_id < 0 else _KEEP_IDENTITY,
        topic=place.topic,
        partition=place.partition,
        base_offset=second.base_offset,
        note=f"DUPLICATE of {first.base_offset}",
    )


def _why_again(first: Row, second: Row) -> str:
    if first.call_number == second.call_number:
        return "the request was applied twice"
    call = f"of call {first.call_number}"
    if first.answer == Answer.LOST:
        return f"the answer {call} was lost"
    if first.answer == Answer.NONE_YET:
        return f"no answer {call} has come yet"
    if first.error_code:
        return f"the answer {call} was {ErrorCode(first.error_code).name}, though it was appended"
    if first.was_acknowledged_before(second.came_at):
        return f"it did not go by the answer {call}"
    return f"the answer {call} came too late"


# By a key that the test knows.


def repeated_keys(records: Iterable[tuple[Hashable, StoredRecord]]) -> list[Finding]:
    """Find the keys that several records have, each with the places where they are."""
    found: defaultdict[Hashable, list[StoredRecord]] = defaultdict(list)
    for key, record in records:
        found[key].append(record)
    return [_told_of_key(key, alike, later) for key, alike in found.items() for later in alike[1:]]


def _told_of_key(key: Hashable, alike: Sequence[StoredRecord], later: StoredRecord) -> Finding:
    first = alike[0]
    return Finding(
        text=f"{later.topic}-{later.partition}: offset {later.offset} has the key {key!r}, as has "
        f"{first.topic}-{first.partition} offset {first.offset}",
        advice=_BE_IDEMPOTENT if later.producer_id < 0 else "",
        topic=later.topic,
        partition=later.partition,
        base_offset=later.offset,
        note="DUPLICATE",
    )
