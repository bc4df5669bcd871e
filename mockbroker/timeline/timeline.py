"""Values of a timeline: lanes and cells over columns, which are offsets or moments.

A column is a batch, a run of batches, or an event of the journal: all have the same width, so that
a batch of one record is as readable as one of a thousand. Positions on the axis are fractions of
columns: 2.5 is the middle of the third column.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple


class CellKind(StrEnum):
    """Kind of a cell; it decides the colours."""

    BATCH = "batch"
    TRANSACTIONAL = "transactional"
    """Batch of a transaction, where its outcome is not looked up."""
    OPEN = "open"
    COMMITTED = "committed"
    ABORTED = "aborted"
    COMMIT = "commit"
    ABORT = "abort"
    RETRY = "retry"
    FOLDED = "folded"
    REMOVED = "removed"
    STATE = "state"
    REQUEST = "request"
    ERROR = "error"
    REPLICA = "replica"
    EVENT = "event"


LEGEND: Final[Mapping[CellKind, str]] = {
    CellKind.BATCH: "batch",
    CellKind.TRANSACTIONAL: "batch of a transaction",
    CellKind.OPEN: "batch of an open transaction",
    CellKind.COMMITTED: "batch of a committed transaction",
    CellKind.ABORTED: "batch of an aborted transaction",
    CellKind.COMMIT: "COMMIT marker",
    CellKind.ABORT: "ABORT marker",
    CellKind.RETRY: "retry, not appended",
    CellKind.FOLDED: "several batches",
    CellKind.REMOVED: "removed records",
    CellKind.STATE: "state of the transactional id",
    CellKind.REQUEST: "request or response",
    CellKind.ERROR: "error",
    CellKind.REPLICA: "records that a replica has",
    CellKind.EVENT: "other event",
}
"""Meaning of each kind, in the order of the legend."""


class TimelineColumn(NamedTuple):
    """A column: what it is, its time by two clocks, and its position in the source."""

    title: str
    """`120–129` (offsets) or `#14` (the number of an event)."""
    cluster_time_ms: int | None
    """By the clock of the cluster, which can jump."""
    wall_time_ms: int | None
    """By the clock of the clients or of the machine."""
    is_evidence: bool = False
    is_cut: bool = False
    """True if offsets between it and the previous column are hidden or missing."""


class TimelineLane(NamedTuple):
    """A row of a timeline."""

    name: str
    detail: str = ""


class TimelineCell(NamedTuple):
    """A box in a lane, from a position on."""

    lane: int
    start: float
    kind: CellKind
    first: str
    """Text in large type."""
    second: str = ""
    """Text in small type."""
    tip: str = ""
    """Tooltip."""
    width: float = 1.0
    """Number of columns."""
    lanes: int = 1
    """Number of lanes that it covers."""
    is_evidence: bool = False
    first_offset: int | None = None
    last_offset: int | None = None
    seq: int | None = None
    """Number of its event in the journal."""


class OffsetLine(NamedTuple):
    """An offset of the log that bounds what is read, at a position of the axis."""

    position: float
    offset: int
    names: tuple[str, ...]
    """`log start`, `last stable offset`, `high watermark` or `log end`; equal offsets share it."""


class Level(NamedTuple):
    """End offsets of the log in a column."""

    column: int
    log_end_offset: int
    high_watermark: int | None
    last_stable_offset: int | None


class Beyond(NamedTuple):
    """Numbers of what a view leaves out on both sides: batches, or events."""

    before: int = 0
    after: int = 0


NOTHING_BEYOND: Final = Beyond()


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Layout of a timeline."""

    title: str
    columns: tuple[TimelineColumn, ...]
    lanes: tuple[TimelineLane, ...]
    cells: tuple[TimelineCell, ...]
    lines: tuple[OffsetLine, ...] = ()
    levels: tuple[Level, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences below the lanes."""
    beyond: Beyond = NOTHING_BEYOND
    wall_clock: str = "wall clock"
    """Name of the second clock: `wall clock`, or `client clock` for timestamps of records."""


def range_text(first: int, last: int) -> str:
    """Format offsets or sequences: `7`, `7–9`."""
    return str(first) if first == last else f"{first}–{last}"


def count_text(count: int, noun: str, plural: str = "") -> str:
    """Format a count: `1 batch`, `2,000 batches`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
