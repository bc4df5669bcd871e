"""Rows that prove findings by the ids of records: the batches in which the copies are stored."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.audit.finding import Finding
from mockbroker.audit.finding import sort_key as order_of_findings
from mockbroker.audit.words import producer_text
from mockbroker.journal.entry import Entry

Range: TypeAlias = tuple[str, int, int, int]
"""Topic, partition, and the first and last offset of records."""


class StoredBatch(NamedTuple):
    """A batch in a log, and its row."""

    seq: int
    topic: str
    partition: int
    base_offset: int
    last_offset: int
    virtual_time_ms: int
    producer_id: int | None = None
    producer_epoch: int | None = None
    client_id: str | None = None

    @property
    def producer(self) -> tuple[object, ...]:
        """The instance that has written it; without a producer id, the client id."""
        if (self.producer_id or 0) < 0:
            return (self.client_id,)
        return self.producer_id, self.producer_epoch

    @property
    def writer(self) -> str:
        """The instance and its client, in words."""
        name = producer_text(self) if len(self.producer) > 1 else "a producer without an id"
        return name if self.client_id is None else f"{name} (client {self.client_id!r})"


def ranges_of(findings: Iterable[Finding]) -> list[Range]:
    """Return the offsets whose rows are missing as evidence, those of first copies included."""
    return sorted({each for finding in findings for each in _ranges(finding)})


def _ranges(finding: Finding) -> Iterator[Range]:
    if finding.evidence or finding.topic is None or finding.partition is None:
        return
    if finding.first_offset is not None and finding.last_offset is not None:
        yield finding.topic, finding.partition, finding.first_offset, finding.last_offset
    if finding.copied_offset is not None:
        topic, partition = finding.copied_place
        yield topic, partition, finding.copied_offset, finding.copied_offset


class Coverage:
    """Offsets of some ranges, to choose the batches that have any of them."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        """Sort the ranges by partition."""
        by_place: defaultdict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
        for topic, partition, first, last in sorted(ranges):
            spans = by_place[topic, partition]
            if spans and first <= spans[-1][1] + 1:
                spans[-1] = spans[-1][0], max(last, spans[-1][1])
            else:
                spans.append((first, last))
        self._spans: Final = dict(by_place)

    def has(self, topic: str, partition: int, base_offset: int, last_offset: int) -> bool:
        """Return whether a batch has one of the offsets."""
        spans = self._spans.get((topic, partition), [])
        at = bisect_right(spans, (last_offset, 1 << 62)) - 1
        return at >= 0 and spans[at][1] >= base_offset


def batches_in(entries: Iterable[Entry]) -> Iterator[StoredBatch]:
    """Yield the appended batches among rows of a journal."""
    for each in entries:
        if each.kind != "append" or each.is_duplicate or each.topic is None:
            continue
        if None not in {each.partition, each.base_offset, each.last_offset}:
            yield StoredBatch(
                each.seq,
                each.topic,
                each.partition or 0,
                each.base_offset or 0,
                each.last_offset or 0,
                each.virtual_time_ms,
                each.producer_id,
                each.producer_epoch,
                each.client_id,
            )


def proved(findings: Sequence[Finding], batches: Iterable[StoredBatch]) -> tuple[Finding, ...]:
    """Add the rows of batches as evidence to findings without any, and both producers of a copy.

    Of several batches that were stored at the same offset, the last one is the one that readers
    find: the others were truncated.
    """
    wanted = Coverage(ranges_of(findings))
    stored: dict[tuple[str, int, int], StoredBatch] = {}
    for each in batches:
        if wanted.has(each.topic, each.partition, each.base_offset, each.last_offset):
            place = each.topic, each.partition, each.base_offset
            if place not in stored or stored[place].seq < each.seq:
                stored[place] = each
    by_place: defaultdict[tuple[str, int], list[StoredBatch]] = defaultdict(list)
    for each in stored.values():
        by_place[each.topic, each.partition].append(each)
    made = (each if each.evidence else _with_proof(each, by_place) for each in findings)
    return tuple(sorted(made, key=order_of_findings))


def _with_proof(
    finding: Finding, stored: Mapping[tuple[str, int], Sequence[StoredBatch]]
) -> Finding:
    proof = [[*_among(stored, each)] for each in _ranges(finding)]
    rows = sorted({each.seq for batches in proof for each in batches})
    time_ms = finding.virtual_time_ms
    if time_ms is None:
        time_ms = next((each.virtual_time_ms for batches in proof for each in batches), None)
    finding = finding._replace(evidence=tuple(rows), virtual_time_ms=time_ms)
    if finding.copied_offset is None or not all(proof):
        return finding
    (other, *_), (first, *_) = proof
    if first.producer == other.producer:
        return finding
    said = f"{finding.text}; {first.writer} wrote the first copy, and {other.writer} this one"
    producer_id, producer_epoch = other.producer_id, other.producer_epoch
    return finding._replace(text=said, producer_id=producer_id, producer_epoch=producer_epoch)


def _among(
    stored: Mapping[tuple[str, int], Sequence[StoredBatch]], wanted: Range
) -> Iterator[StoredBatch]:
    topic, partition, first, last = wanted
    for each in stored.get((topic, partition), ()):
        if each.base_offset <= last and each.last_offset >= first:
            yield each
