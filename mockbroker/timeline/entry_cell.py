"""Cell and column of a timeline for one row of a journal."""

from typing import Final

from mockbroker.audit.runs.run import SEQUENCES
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.lines import journal_lines
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.timeline.timeline import (
    CellKind,
    TimelineCell,
    TimelineColumn,
    count_text,
    range_text,
)

_US_PER_MS: Final = 1000
_CALLS: Final = frozenset({"request", "answer", "lost"})


def moment_column(
    entry: Entry, *, is_evidence: bool = False, is_cut: bool = False
) -> TimelineColumn:
    """Return the column of an event, with its time by both clocks."""
    wall_time_ms = entry.wall_time_us // _US_PER_MS
    title = f"#{entry.seq}"
    return TimelineColumn(title, entry.virtual_time_ms, wall_time_ms, is_evidence, is_cut)


def entry_cell(entry: Entry, column: int, lane: int, *, is_evidence: bool = False) -> TimelineCell:
    """Return the cell of a row, with the journal's line as its tooltip."""
    first, second = _words(entry)
    return TimelineCell(
        lane=lane,
        start=column,
        kind=entry_kind(entry),
        first=first,
        second=second,
        tip=journal_lines([entry])[0],
        is_evidence=is_evidence,
        first_offset=entry.base_offset,
        last_offset=entry.last_offset,
        seq=entry.seq,
    )


def entry_kind(entry: Entry) -> CellKind:
    """Return the kind of a row's cell."""
    match entry.kind:
        case "append" if entry.is_duplicate:
            return CellKind.RETRY
        case "append":
            return CellKind.TRANSACTIONAL if entry.is_transactional else CellKind.BATCH
        case "marker":
            return CellKind.COMMIT if entry.marker == "COMMIT" else CellKind.ABORT
        case "truncation":
            return CellKind.REMOVED
        case "transaction":
            return CellKind.STATE
        case "lost":
            return CellKind.ERROR
        case kind if kind in _CALLS:
            return CellKind.ERROR if entry.error else CellKind.REQUEST
        case _:
            return CellKind.EVENT


def _words(entry: Entry) -> tuple[str, str]:
    match entry.kind:
        case "append":
            return _sequences(entry), f"{_offsets(entry)} · epoch {entry.producer_epoch}"
        case "marker":
            return str(entry.marker), f"{_offsets(entry)} · epoch {entry.producer_epoch}"
        case "transaction":
            return str(entry.state_after or "gone"), f"was {entry.state_before or 'nothing'}"
        case "truncation" | "log_start":
            is_end = entry.kind == "truncation"
            what, where = ("truncated", "to") if is_end else ("log begins", "at")
            return what, f"{where} {entry.log_end_offset if is_end else entry.log_start_offset}"
        case "leader":
            return f"leader {entry.broker}", f"epoch {entry.leader_epoch}"
        case "offset_committed" | "offset_pending":
            return f"{entry.kind.removeprefix('offset_')} {entry.base_offset}", f"by {entry.group}"
        case "request" | "answer" | "lost":
            api = entry.kind if entry.api is None else entry.api.title
            is_read = entry.api is ApiKey.FETCH and entry.base_offset is not None
            said = _offsets(entry) if is_read else entry.kind
            return api, entry.error.name if entry.error else said
        case _:
            return entry.kind.replace("_", " "), entry.effect or ""


def _sequences(entry: Entry) -> str:
    count = entry.record_count or 0
    if entry.base_sequence is None or entry.base_sequence < 0:
        return count_text(count, "record")
    last = (entry.base_sequence + max(count, 1) - 1) % SEQUENCES
    return f"seq {range_text(entry.base_sequence, last)}"


def _offsets(entry: Entry) -> str:
    if entry.base_offset is None or entry.base_offset < 0:
        return "at ?"
    last = entry.base_offset if entry.last_offset is None else entry.last_offset
    return f"@{range_text(entry.base_offset, last)}"
