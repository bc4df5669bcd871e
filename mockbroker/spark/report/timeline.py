"""Layout of the timeline around a finding: lanes, their cells, and the log's offsets.

A column is a moment (a `seq`); the time between moments is not shown. A
lane is a producer in the partition, a transactional id at its coordinator, a client, or the log.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from mockbroker.audit.finding import Finding
from mockbroker.audit.runs.run import SEQUENCES
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.lines import journal_lines

_OF_THE_LOG: Final = frozenset(
    {"leader", "truncation", "log_start", "high_watermark", "topic_created", "topic_deleted"}
)
_OF_PRODUCERS: Final = frozenset({"append", "marker", "producer_expired"})
_ORDER: Final = ("log", "transaction", "producer", "no", "client", "cluster")
"""Order of the lanes from the top, by the first word of their names."""


class Moment(NamedTuple):
    """A column."""

    seq: int
    virtual_time_ms: int
    is_evidence: bool
    is_cut: bool
    """True if offsets between it and the previous moment are hidden or missing."""


class EventCell(NamedTuple):
    """Event in a lane at a moment."""

    column: int
    lane: int
    kind: str
    """The journal's kind, or `retry`."""
    first: str
    """Text in large type."""
    second: str
    """Text in small type."""
    is_evidence: bool
    is_transactional: bool
    tip: str
    """The journal's row as one line, for the tooltip."""


class Level(NamedTuple):
    """End offsets of the log at a moment."""

    column: int
    log_end_offset: int
    high_watermark: int | None
    last_stable_offset: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Layout of a timeline."""

    moments: tuple[Moment, ...]
    lanes: tuple[str, ...]
    cells: tuple[EventCell, ...]
    levels: tuple[Level, ...]


def timeline_of(finding: Finding, entries: Sequence[Entry]) -> Timeline:
    """Lay out the rows around a finding, which are in order of `seq`."""
    evidence = frozenset(finding.evidence)
    lanes = _lanes(entries, finding)
    moments: list[Moment] = []
    cells: list[EventCell] = []
    levels: list[Level] = []
    taken: set[tuple[int, int]] = set()
    last_seq: int | None = None
    for entry in entries:
        lane = lanes[_lane(entry)]
        if entry.seq != last_seq or (len(moments) - 1, lane) in taken:
            moments.append(
                Moment(entry.seq, entry.virtual_time_ms, entry.seq in evidence, is_cut=False)
            )
        last_seq = entry.seq
        column = len(moments) - 1
        taken.add((column, lane))
        cells.append(_cell(entry, column, lane, is_evidence=entry.seq in evidence))
        if entry.log_end_offset is not None and _is_of_place(entry, finding):
            levels.append(
                Level(column, entry.log_end_offset, entry.high_watermark, entry.last_stable_offset)
            )
    return Timeline(
        moments=tuple(_with_gaps(moments, entries)),
        lanes=tuple(lanes),
        cells=tuple(cells),
        levels=tuple(levels),
    )


def _is_of_place(entry: Entry, finding: Finding) -> bool:
    return finding.topic is None or (entry.topic, entry.partition) == (
        finding.topic,
        finding.partition,
    )


def _with_gaps(moments: Iterable[Moment], entries: Sequence[Entry]) -> list[Moment]:
    """Mark the moments at which the shown rows of a log skip offsets."""
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
    return [moment._replace(is_cut=moment.seq in cut) for moment in moments]


def _lanes(entries: Sequence[Entry], finding: Finding) -> dict[str, int]:
    """Number the lanes: the log's, coordinators, the finding's producer, the others, clients."""
    own = f"producer {finding.producer_id}"

    def rank(name: str) -> tuple[int, bool, str]:
        return _ORDER.index(name.split(" ", 1)[0]), name != own, name

    named = sorted({_lane(entry) for entry in entries}, key=rank)
    return {name: number for number, name in enumerate(named)}


def _lane(entry: Entry) -> str:
    if entry.kind in _OF_THE_LOG:
        return f"log {entry.topic}-{entry.partition}" if entry.partition is not None else "log"
    if entry.kind == "transaction":
        return f"transaction {entry.transactional_id}"
    if entry.kind in _OF_PRODUCERS:
        if entry.producer_id is None or entry.producer_id < 0:
            return "no producer id"
        return f"producer {entry.producer_id}"
    return f"client {entry.client_id}" if entry.client_id is not None else "cluster"


def _cell(entry: Entry, column: int, lane: int, *, is_evidence: bool) -> EventCell:
    first, second = _words(entry)
    return EventCell(
        column=column,
        lane=lane,
        kind="retry" if entry.is_duplicate else entry.kind,
        first=first,
        second=second,
        is_evidence=is_evidence,
        is_transactional=bool(entry.is_transactional),
        tip=journal_lines([entry])[0],
    )


def _words(entry: Entry) -> tuple[str, str]:
    match entry.kind:
        case "append":
            return _sequences(entry), f"{_offsets(entry)} · epoch {entry.producer_epoch}"
        case "marker":
            return str(entry.marker), f"{_offsets(entry)} · epoch {entry.producer_epoch}"
        case "transaction":
            return str(entry.state_after or "gone"), f"was {entry.state_before or 'nothing'}"
        case "truncation":
            return "truncated", f"to {entry.log_end_offset}"
        case "log_start":
            return "log begins", f"at {entry.log_start_offset}"
        case "leader":
            return f"leader {entry.broker}", f"epoch {entry.leader_epoch}"
        case "request" | "answer" | "lost":
            api = "" if entry.api is None else entry.api.title
            return api or entry.kind, entry.error.name if entry.error else entry.kind
        case _:
            return entry.kind.replace("_", " "), entry.effect or ""


def _sequences(entry: Entry) -> str:
    count = entry.record_count or 0
    if entry.base_sequence is None or entry.base_sequence < 0:
        return f"{count} record{'s' * (count != 1)}"
    last = (entry.base_sequence + max(count, 1) - 1) % SEQUENCES
    return f"seq {_range(entry.base_sequence, last)}"


def _offsets(entry: Entry) -> str:
    if entry.base_offset is None or entry.base_offset < 0:
        return "at ?"
    last = entry.base_offset if entry.last_offset is None else entry.last_offset
    return f"@{_range(entry.base_offset, last)}"


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"
