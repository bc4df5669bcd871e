"""Drawing of a timeline as SVG: for pages, notebooks and files.

Every text is escaped, characters that XML forbids are replaced, and the number of elements is
proportional to the columns, lanes and cells of the timeline.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Final, NamedTuple

from mockbroker.timeline.clock_text import clock_texts
from mockbroker.timeline.timeline import (
    LEGEND,
    CellKind,
    Level,
    OffsetLine,
    Timeline,
    TimelineCell,
)
from mockbroker.timeline.timeline_style import TIMELINE_STYLE

CLASS: Final = "mockbroker-timeline"

_LABEL: Final = 168
_COLUMN: Final = 132
_TITLE: Final = 26
_HEAD: Final = 50
_LANE: Final = 50
_BOX: Final = 38
_LINE: Final = 18
"""Height of a line of text below the lanes."""
_LEVELS: Final = 96
_MARGIN: Final = 10
_WIDTH_MIN: Final = 720
_CHARACTER: Final = 6.8
"""Average width of a character in large type, in pixels; a little more than measured."""
_SMALL: Final = 5.9
_SHORTEST: Final = 4
"""Number of characters below which a text that is cut says nothing."""
_SWATCH: Final = 18
_LEGEND_GAP: Final = 16

_FORBIDDEN: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may have."""

Offset = Callable[[Level], int | None]

_LEVEL_LINES: Final[tuple[tuple[str, str, Offset], ...]] = (
    ("log-end", "log end", lambda level: level.log_end_offset),
    ("watermark", "high watermark", lambda level: level.high_watermark),
    ("stable", "last stable offset", lambda level: level.last_stable_offset),
)
_BOUNDS: Final = {"last stable offset": "stable", "high watermark": "watermark"}
"""Class of the line of an offset."""


class _Frame(NamedTuple):
    """Vertical layout of a drawing."""

    width: int
    lanes_top: int
    lanes_end: int


def timeline_svg(timeline: Timeline, label: str = "", *, is_standalone: bool = True) -> str:
    """Draw a timeline; screen readers read `label`, or its title.

    A standalone drawing has its own style; others are for a page with `TIMELINE_STYLE`.
    """
    columns = len(timeline.columns)
    width = max(_LABEL + _COLUMN * columns + _MARGIN, _WIDTH_MIN)
    lanes_top = _TITLE + (_HEAD if columns else 0)
    frame = _Frame(width, lanes_top, lanes_top + _LANE * len(timeline.lanes))
    body = [*_columns(timeline, frame), *_lanes(timeline, frame)]
    body += [_cell(cell, frame) for cell in timeline.cells]
    top = frame.lanes_end
    for part in (_bounds, _levels, _notes, _legend):
        lines, top = part(timeline, frame, top)
        body += lines
    body += _names(timeline, frame)
    height = top + _MARGIN
    text = escaped(label or timeline.title)
    style = f"<style>{TIMELINE_STYLE}</style>" if is_standalone else ""
    namespace = ' xmlns="http://www.w3.org/2000/svg"' if is_standalone else ""
    return (
        f'<svg{namespace} class="{CLASS}" role="img" aria-label="{text}"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}">{style}'
        f'<rect class="ground" width="{width}" height="{height}"/>'
        f"{_title(timeline)}{''.join(body)}</svg>"
    )


def _title(timeline: Timeline) -> str:
    before, after = timeline.beyond
    beyond = [f"{before:,} before"] * bool(before) + [f"{after:,} after"] * bool(after)
    more = f'<tspan class="small" dx="12">not shown: {", ".join(beyond)}</tspan>' if beyond else ""
    return f'<text class="title" x="4" y="17">{escaped(timeline.title)}{more}</text>'


def _x(position: float) -> int:
    return _LABEL + round(_COLUMN * position)


# Columns and lanes.


def _columns(timeline: Timeline, frame: _Frame) -> Iterator[str]:
    columns, top = timeline.columns, _TITLE
    if not columns:
        return
    clocks = (
        clock_texts([each.cluster_time_ms for each in columns]),
        clock_texts([each.wall_time_ms for each in columns]),
    )
    for number, column in enumerate(columns):
        x, middle = _x(number), _x(number + 0.5)
        if column.is_evidence:
            height = frame.lanes_end - top
            yield f'<rect class="proof" x="{x}" y="{top}" width="{_COLUMN}" height="{height}"/>'
        if column.is_cut:
            yield f'<path class="cut" d="M{x} {top}V{frame.lanes_end}"/>'
        yield _text(middle, top + 15, fitted(column.title, _COLUMN, _CHARACTER), "column mid")
        for row, texts in enumerate(clocks):
            if texts[number]:
                yield _text(middle, top + 29 + 14 * row, texts[number], "small mid")


def _lanes(timeline: Timeline, frame: _Frame) -> Iterator[str]:
    for number in range(len(timeline.lanes)):
        y = frame.lanes_top + _LANE * number
        yield f'<path class="lane" d="M0 {y}H{frame.width}"/>'
        yield f'<path class="thread" d="M{_LABEL} {y + _LANE // 2}H{frame.width}"/>'


def _names(timeline: Timeline, frame: _Frame) -> Iterator[str]:
    """Draw the names of clocks and lanes above the cells: a page keeps them while those scroll."""
    yield '<g class="names">'
    if timeline.columns:
        tops = range(frame.lanes_top, frame.lanes_end, _LANE)
        lines = "".join(f"M-{_MARGIN} {y}H{_LABEL - 4}" for y in tops)
        yield f'<rect class="under" x="-{_MARGIN}" y="{_TITLE}" width="{_LABEL + _MARGIN - 4}"'
        yield f' height="{frame.lanes_end - _TITLE}" fill="none"/><path class="lane" d="{lines}"/>'
        for row, name in enumerate(("cluster clock", timeline.wall_clock)):
            yield _text(4, _TITLE + 29 + 14 * row, name, "small")
    for number, lane in enumerate(timeline.lanes):
        middle = frame.lanes_top + _LANE * number + _LANE // 2
        yield f"<g><title>{escaped(f'{lane.name} {lane.detail}'.strip())}</title>"
        yield _text(4, middle + (-3 if lane.detail else 4), _label(lane.name, _CHARACTER), "name")
        if lane.detail:
            yield _text(4, middle + 12, _label(lane.detail, _SMALL), "small")
        yield "</g>"
    yield "</g>"


def _label(text: str, character: float) -> str:
    return fitted(text, _LABEL - 4, character)


def _cell(cell: TimelineCell, frame: _Frame) -> str:
    x, width = _x(cell.start) + 3, round(_COLUMN * cell.width) - 6
    y = frame.lanes_top + _LANE * cell.lane + (_LANE - _BOX) // 2
    height = _BOX + _LANE * (cell.lanes - 1)
    is_marker = cell.kind in {CellKind.COMMIT, CellKind.ABORT}
    data = "".join(
        f' data-{name}="{value}"'
        for name, value in (
            ("first-offset", cell.first_offset),
            ("last-offset", cell.last_offset),
            ("seq", cell.seq),
        )
        if value is not None
    )
    middle, baseline = x + width // 2, y + height // 2
    second = fitted(cell.second, width, _SMALL)
    first = fitted(cell.first, width, _CHARACTER)
    return (
        f'<g class="cell {cell.kind.value}{" evidence" if cell.is_evidence else ""}"{data}>'
        f"<title>{escaped(cell.tip or f'{cell.first} {cell.second}'.strip())}</title>"
        f'<rect x="{x}" y="{y}" width="{max(width, 2)}" height="{height}"'
        f' rx="{_BOX // 2 if is_marker else 4}"/>'
        + _text(middle, baseline - 3 if second else baseline + 4, first, "first mid")
        + (_text(middle, baseline + 12, second, "small mid") if second else "")
        + "</g>"
    )


# Below the lanes.


def _bounds(timeline: Timeline, frame: _Frame, top: int) -> tuple[list[str], int]:
    """Draw the offsets that bound reads; labels that would touch are on lines of their own."""
    parts: list[str] = []
    ends: list[float] = []
    for line in sorted(timeline.lines, key=lambda each: each.position):
        text = f"{' = '.join(line.names)} {line.offset}"
        half = len(text) * _CHARACTER / 2
        x = _x(line.position)
        middle = min(max(x, half + 4), frame.width - half - 4)
        row = next(
            (row for row, end in enumerate(ends) if end < middle - half - _MARGIN), len(ends)
        )
        ends[row : row + 1] = [middle + half]
        y = top + 14 + _LINE * row
        parts.append(f'<path class="bound {_bound_class(line)}" d="M{x} {_TITLE + 20}V{y - 11}"/>')
        parts.append(_text(round(middle), y, text, "bound-name mid"))
    return parts, top + _LINE * len(ends) + (4 if ends else 0)


def _bound_class(line: OffsetLine) -> str:
    return next((_BOUNDS[name] for name in line.names if name in _BOUNDS), "edge")


def _levels(timeline: Timeline, frame: _Frame, top: int) -> tuple[list[str], int]:
    """Draw the end offsets of the log as step lines."""
    levels = timeline.levels
    if len(levels) < 2:
        return [], top
    offsets = [
        value for level in levels for _, _, of in _LEVEL_LINES if (value := of(level)) is not None
    ]
    low, high = min(offsets), max(offsets)

    def y(offset: int) -> int:
        span = max(high - low, 1)
        return top + _LEVELS - 8 - round((offset - low) * (_LEVELS - 22) / span)

    parts = [f'<path class="lane" d="M0 {top}H{frame.width}"/>']
    for number, (name, words, of) in enumerate(_LEVEL_LINES):
        if path := _steps(levels, of, y):
            below = top + 22 + 20 * number
            parts.append(f'<path class="level {name}" d="{path}"/>')
            parts.append(f'<path class="level {name}" d="M4 {below - 4}h18"/>')
            parts.append(_text(28, below, words, "name"))
    parts.append(_text(_LABEL - 4, y(high) + 4, str(high), "small end"))
    if low != high:
        parts.append(_text(_LABEL - 4, y(low) + 4, str(low), "small end"))
    return parts, top + _LEVELS + _MARGIN


def _steps(levels: Sequence[Level], of: Offset, y: Callable[[int], int]) -> str:
    """Draw a step line: an offset stays the same until the next column that has it."""
    path = ""
    for level in levels:
        offset = of(level)
        if offset is not None:
            x = _x(level.column + 0.5)
            path += f"H{x}V{y(offset)}" if path else f"M{x} {y(offset)}"
    return f"{path}h{_COLUMN // 2 - 4}" if path else ""


def _notes(timeline: Timeline, frame: _Frame, top: int) -> tuple[list[str], int]:
    if not timeline.notes:
        return [], top
    parts = [f'<path class="lane" d="M0 {top}H{frame.width}"/>'] if timeline.lanes else []
    for number, note in enumerate(timeline.notes):
        text = fitted(note, frame.width - 8, _CHARACTER)
        parts.append(
            f'<text class="note" x="4" y="{top + 16 + _LINE * number}">{escaped(text)}'
            f"<title>{escaped(note)}</title></text>"
        )
    return parts, top + 6 + _LINE * len(timeline.notes)


def _legend(timeline: Timeline, frame: _Frame, top: int) -> tuple[list[str], int]:
    """Explain the kinds of cells that occur."""
    kinds = {cell.kind for cell in timeline.cells}
    entries = [(f"cell {kind.value}", text) for kind, text in LEGEND.items() if kind in kinds]
    if any(cell.is_evidence for cell in timeline.cells):
        entries.append(("cell evidence", "shown by a finding"))
    if not entries:
        return [], top
    parts = [f'<path class="lane" d="M0 {top}H{frame.width}"/><g class="legend">']
    x, y = 4, top + 20
    for style, text in entries:
        width = _SWATCH + 6 + round(len(text) * _SMALL)
        if x > 4 and x + width > frame.width - _MARGIN:
            x, y = 4, y + _LINE
        parts.append(
            f'<g class="{style}"><rect x="{x + 1}" y="{y - 9}" width="{_SWATCH - 2}" height="11"'
            ' rx="3"/></g>'
        )
        parts.append(_text(x + _SWATCH + 5, y, text, "small"))
        x += width + _LEGEND_GAP
    parts.append("</g>")
    return parts, y + 4


# Texts.


def _text(x: int, y: int, text: str, style: str) -> str:
    return f'<text class="{style}" x="{x}" y="{y}">{escaped(text)}</text>' if text else ""


def fitted(text: str, width: float, character: float) -> str:
    """Cut a text to a width in pixels."""
    length_max = max(int(width / character), 0)
    if len(text) <= length_max:
        return text
    return f"{text[: length_max - 1]}…" if length_max >= _SHORTEST else ""


def escaped(text: str) -> str:
    """Escape a text for HTML and XML, without the characters that XML forbids."""
    return escape(_FORBIDDEN.sub("\ufffd", text))
