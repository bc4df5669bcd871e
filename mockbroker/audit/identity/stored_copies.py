"""Rows that prove findings by the ids of records: the batches in which the copies are stored."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.audit.finding import Finding
from mockbroker.audit.finding import sort_key as order_of_findings
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
            offsets = each.base_offset or 0, each.last_offset or 0
            place = each.topic, each.partition or 0
            yield StoredBatch(each.seq, *place, *offsets, each.virtual_time_ms)


def proved(findings: Sequence[Finding], batches: Iterable[StoredBatch]) -> tuple[Finding, ...]:
    """Add the rows of batches as evidence to findings without any, and the time of the copy.

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
    made = (_proved(finding, by_place) if not finding.evidence else finding for finding in findings)
    return tuple(sorted(made, key=order_of_findings))


def _proved(finding: Finding, stored: Mapping[tuple[str, int], Sequence[StoredBatch]]) -> Finding:
    batches = [
        each
        for topic, partition, first, last in _ranges(finding)
        for each in stored.get((topic, partition), ())
        if each.base_offset <= last and each.last_offset >= first
    ]
    time_ms = finding.virtual_time_ms
    if time_ms is None and batches:
        time_ms = batches[0].virtual_time_ms
    evidence = tuple(sorted({each.seq for each in batches}))
    return finding._replace(evidence=evidence, virtual_time_ms=time_ms)
