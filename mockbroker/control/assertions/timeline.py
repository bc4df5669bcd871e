"""Timelines of partitions as text: batches, markers, and the offsets that bound reads."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from mockbroker.audit.cluster.partition_view import LoggedBatch, PartitionSnapshot
from mockbroker.audit.finding import Finding
from mockbroker.control.assertions.failure import WIDTH
from mockbroker.timeline.annotations import Annotations, annotations_of, finding_label

BATCHES_MAX: Final = 14
LEGEND: Final = "[producer id, its epoch, #sequences]  <C> COMMIT marker  <A> ABORT marker"
_HEAD_BATCHES: Final = 3
_TAIL_BATCHES: Final = 5
_INDENT: Final = "  "
_GAP: Final = "  "

_LOST_MAX: Final = 10
_PARTITIONS_MAX: Final = 20


class Cell(NamedTuple):
    """One position in a timeline: offsets, content, and outcome."""

    top: str
    middle: str
    bottom: str = ""

    @property
    def width(self) -> int:
        """The width of its longest line, in characters."""
        return max(map(len, self))


def timelines(
    views: Sequence[PartitionSnapshot], findings: Iterable[Finding] = (), *, width: int = WIDTH
) -> str:
    """Draw partitions below each other; empty ones are only counted."""
    shown = annotations_of(findings)
    full = [view for view in views if view.log_end_offset or len(views) == 1]
    lines: list[str] = []
    for view in full[:_PARTITIONS_MAX]:
        lines += timeline(view, shown, width=width)
        lines.append("")
    for count, what in (
        (len(full) - _PARTITIONS_MAX, "more partitions with records"),
        (len(views) - len(full), "partitions without a record"),
    ):
        if count > 0:
            lines.append(f"({count} {what})")
    return "\n".join([*lines, LEGEND] if full else lines)


def timeline(view: PartitionSnapshot, shown: Annotations, *, width: int = WIDTH) -> list[str]:
    """Draw one partition, as lines: leader, content by offset, and open transactions."""
    lines = [f"{view.name}  leader {view.leader}, leader epoch {view.leader_epoch}"]
    for number, row in enumerate(_rows(_cells(view, shown), width - len(_INDENT))):
        lines += ["", *_drawn(row)] if number else _drawn(row)
    lines += [f"{_INDENT}{text}" for text in _open_transactions(view)]
    return lines


def _open_transactions(view: PartitionSnapshot) -> Iterable[str]:
    for each in view.open_transactions:
        whose = f"producer {each.producer_id} epoch {each.producer_epoch}"
        if each.is_hanging:
            yield (
                f"HANGING from offset {each.first_offset} on: {whose}, "
                "unknown to every coordinator, so it will never end"
            )
            continue
        since = f"from offset {each.first_offset} on" if each.first_offset >= 0 else "without data"
        yield f"open {since}: {whose}, {each.transactional_id!r} ({each.state})"


# From batches to cells.


def _cells(view: PartitionSnapshot, shown: Annotations) -> list[Cell]:
    marks = _marks(view, shown)
    cells: list[Cell] = []
    kept = _kept(view, shown)
    for is_kept, indexes in groupby(range(len(view.batches)), kept.__contains__):
        run = [view.batches[index] for index in indexes]
        if not is_kept:
            cells.append(_folded(run))
            continue
        for batch in run:
            while marks and marks[0][0] <= batch.base_offset:
                cells.append(marks.pop(0)[1])
            cells.append(_cell(view, batch, shown))
    return cells + [cell for _, cell in marks]


def _marks(view: PartitionSnapshot, shown: Annotations) -> list[tuple[int, Cell]]:
    """Return the marks between batches, by offset: bars, and removed offsets."""
    lost = shown.lost.get((view.topic, view.partition), ())[:_LOST_MAX]
    marks = [(offset, _bar(offset, names)) for offset, names in _bars(view).items()]
    marks += [(each.first_offset or 0, _lost(each)) for each in lost]
    return sorted(marks, key=lambda mark: mark[0])


def _lost(batch: Finding) -> Cell:
    first, last = batch.first_offset or 0, batch.last_offset or 0
    whose = f"{batch.producer_id} e{batch.producer_epoch}"
    if batch.producer_id is None or batch.producer_id < 0:
        whose = _records(last - first + 1)
    return Cell(_offsets(first, last), f"{{{whose}}}", "LOST")


def _offsets(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}..{last}"


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count} records"


def _bars(view: PartitionSnapshot) -> dict[int, list[str]]:
    """Return the offsets that bound reads; equal ones share a bar with several names."""
    bars: dict[int, list[str]] = {}
    for name, offset in (
        ("start", view.log_start_offset),
        ("LSO", view.last_stable_offset),
        ("high watermark", view.high_watermark),
        ("end", view.log_end_offset),
    ):
        bars.setdefault(offset, []).append(name)
    return bars


def _bar(offset: int, names: Sequence[str]) -> Cell:
    return Cell(str(offset), "|", " = ".join(names))


def _kept(view: PartitionSnapshot, shown: Annotations) -> set[int]:
    """Choose the batches to show: both ends, those with findings, and those at bars."""
    batches = view.batches
    if len(batches) <= BATCHES_MAX:
        return set(range(len(batches)))
    kept = {*range(_HEAD_BATCHES), *range(len(batches) - _TAIL_BATCHES, len(batches))}
    bars = _bars(view)
    for index, batch in enumerate(batches):
        if _label(view, batch, shown) or any(
            batch.base_offset <= bar <= batch.last_offset for bar in bars
        ):
            kept |= {index - 1, index, index + 1} if len(kept) < 3 * BATCHES_MAX else set()
    return kept


def _folded(batches: Sequence[LoggedBatch]) -> Cell:
    offsets = _offsets(batches[0].base_offset, batches[-1].last_offset)
    outcomes = sorted({batch.outcome for batch in batches} - {"plain", "marker"})
    return Cell(offsets, f"... {len(batches)} batches ...", ", ".join(outcomes))


def _cell(view: PartitionSnapshot, batch: LoggedBatch, shown: Annotations) -> Cell:
    top = _offsets(batch.base_offset, batch.last_offset)
    return Cell(top, _middle(batch), _label(view, batch, shown) or _outcome(view, batch))


def _label(view: PartitionSnapshot, batch: LoggedBatch, shown: Annotations) -> str:
    """Return the label of a batch's finding, or of its first record's."""
    found = shown.found_at(view.topic, view.partition, batch.base_offset, batch.last_offset)
    return "" if found is None else finding_label(found, batch.outcome)


def _middle(batch: LoggedBatch) -> str:
    if batch.outcome == "marker":
        return "<C>" if batch.is_commit else "<A>"
    records = batch.last_offset - batch.base_offset + 1
    if batch.producer_id < 0:
        return f"[{_records(records)}]"
    sequences = f"#{batch.base_sequence}" + (f"..{batch.last_sequence}" if records > 1 else "")
    return f"[{batch.producer_id} e{batch.producer_epoch} {sequences}]"


def _outcome(view: PartitionSnapshot, batch: LoggedBatch) -> str:
    if batch.outcome == "marker":
        return f"{batch.producer_id} e{batch.producer_epoch}"
    if batch.outcome == "plain":
        return ""
    hangs = batch.outcome == "open" and any(
        each.is_hanging and each.producer_id == batch.producer_id for each in view.open_transactions
    )
    return "HANGING" if hangs else batch.outcome


# From cells to lines.


def _rows(cells: Sequence[Cell], width: int) -> list[list[Cell]]:
    rows: list[list[Cell]] = [[]]
    used = 0
    for cell in cells:
        if rows[-1] and used + cell.width > width:
            rows.append([])
            used = 0
        rows[-1].append(cell)
        used += cell.width + len(_GAP)
    return rows


def _drawn(row: Sequence[Cell]) -> list[str]:
    lines = (
        _INDENT + _GAP.join(cell[index].ljust(cell.width) for cell in row)
        for index in range(len(Cell._fields))
    )
    return [line.rstrip() for line in lines if line.strip()]
