"""Timeline around a finding: lanes, their cells, and the log's offsets.

A column is a moment (a `seq`); the time between moments is not shown. A
lane is a producer in the partition, a transactional id at its coordinator, a client, or the log.
"""

from collections.abc import Sequence
from typing import Final

from mockbroker.audit.finding import Finding
from mockbroker.journal.entry import Entry
from mockbroker.timeline.entry_cell import entry_cell, moment_column
from mockbroker.timeline.timeline import (
    Level,
    Timeline,
    TimelineCell,
    TimelineColumn,
    TimelineLane,
)

_OF_THE_LOG: Final = frozenset(
    {"leader", "truncation", "log_start", "high_watermark", "topic_created", "topic_deleted"}
)
_OF_PRODUCERS: Final = frozenset({"append", "marker", "producer_expired"})
_ORDER: Final = ("log", "transaction", "producer", "no", "client", "cluster")
"""Order of the lanes from the top, by the first word of their names."""


def finding_timeline(finding: Finding, entries: Sequence[Entry]) -> Timeline:
    """Lay out the rows around a finding, which are in order of `seq`."""
    evidence = frozenset(finding.evidence)
    lanes = _lanes(entries, finding)
    columns: list[TimelineColumn] = []
    cells: list[TimelineCell] = []
    levels: list[Level] = []
    taken: set[tuple[int, int]] = set()
    cuts = _gaps(entries)
    last_seq: int | None = None
    for entry in entries:
        lane = lanes[_lane(entry, finding)]
        if entry.seq != last_seq or (len(columns) - 1, lane) in taken:
            columns.append(
                moment_column(entry, is_evidence=entry.seq in evidence, is_cut=entry.seq in cuts)
            )
        last_seq = entry.seq
        column = len(columns) - 1
        taken.add((column, lane))
        cells.append(entry_cell(entry, column, lane, is_evidence=entry.seq in evidence))
        if entry.log_end_offset is not None and _is_of_place(entry, finding):
            levels.append(
                Level(column, entry.log_end_offset, entry.high_watermark, entry.last_stable_offset)
            )
    return Timeline(
        title=" · ".join(filter(None, (finding.rule, finding.place))),
        columns=tuple(columns),
        lanes=tuple(TimelineLane(name) for name in lanes),
        cells=tuple(cells),
        levels=tuple(levels),
    )


def _is_of_place(entry: Entry, finding: Finding) -> bool:
    return finding.topic is None or (entry.topic, entry.partition) == (
        finding.topic,
        finding.partition,
    )


def _gaps(entries: Sequence[Entry]) -> set[int]:
    """Return the events at which the shown rows of a log skip offsets."""
    ends: dict[tuple[str | None, int | None], int] = {}
    cut: set[int] = set()
    for entry in entries:
        if entry.kind not in {"append", "marker"} or entry.is_duplicate:
            continue
        place = entry.topic, entry.partition
        if entry.base_offset is None or entry.last_offset is None:
            continue
        if ends.get(place, entry.base_offset) < entry.base_offset:
            cut.add(entry.seq)
        ends[place] = entry.last_offset + 1
    return cut


def _lanes(entries: Sequence[Entry], finding: Finding) -> dict[str, int]:
    """Number the lanes: the log's, coordinators, the finding's producer, the others, clients."""
    own = f"producer {finding.producer_id}"

    def rank(name: str) -> tuple[int, bool, str]:
        return _ORDER.index(name.split(" ", 1)[0]), name != own, name

    named = sorted({_lane(entry, finding) for entry in entries}, key=rank)
    return {name: number for number, name in enumerate(named)}


def _lane(entry: Entry, finding: Finding) -> str:
    if entry.kind in _OF_THE_LOG:
        return f"log {entry.topic}-{entry.partition}" if entry.partition is not None else "log"
    if entry.kind == "transaction":
        return f"transaction {entry.transactional_id}"
    if entry.kind in _OF_PRODUCERS:
        has_id = entry.producer_id is not None and entry.producer_id >= 0
        name = f"producer {entry.producer_id}" if has_id else "no producer id"
        return name if _is_of_place(entry, finding) else f"{name} · {entry.topic}-{entry.partition}"
    return f"client {entry.client_id}" if entry.client_id is not None else "cluster"
