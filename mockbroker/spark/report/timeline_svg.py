"""Timeline as SVG, for a page whose style sheet sets the colours for light and dark mode."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Final

from mockbroker.spark.report.timeline import (
    EventCell,
    Level,
    Moment,
    Timeline,
)

_LABEL: Final = 168
_COLUMN: Final = 112
_HEAD: Final = 40
_LANE: Final = 50
_BOX: Final = 38
_LEVELS: Final = 96
_MARGIN: Final = 10
_FIRST_MAX: Final = 16
_SECOND_MAX: Final = 21
_LABEL_MAX: Final = 24
_MS: Final = 1000

Offset = Callable[[Level], int | None]

_LINES: Final[tuple[tuple[str, str, Offset], ...]] = (
    ("end", "log end", lambda level: level.log_end_offset),
    ("watermark", "high watermark", lambda level: level.high_watermark),
    ("stable", "last stable offset", lambda level: level.last_stable_offset),
)


def timeline_svg(timeline: Timeline, label: str) -> str:
    """Draw a timeline; screen readers read `label` instead."""
    width = _LABEL + _COLUMN * len(timeline.moments) + _MARGIN
    lanes_end = _HEAD + _LANE * len(timeline.lanes)
    has_levels = len(timeline.levels) > 1
    height = lanes_end + (_LEVELS + _MARGIN if has_levels else 0) + _MARGIN
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    parts = [
        f'<svg class="timeline" role="img" aria-label="{escape(label)}" {size}>',
        *_moments(timeline.moments, height),
        *_lanes(timeline.lanes, width),
        *(_cell(cell) for cell in timeline.cells),
    ]
    if has_levels:
        parts += _levels(timeline.levels, lanes_end + _MARGIN, width)
    return "".join([*parts, "</svg>"])


def _x(column: int) -> int:
    return _LABEL + _COLUMN * column


def _moments(moments: Sequence[Moment], height: int) -> Iterator[str]:
    for column, moment in enumerate(moments):
        x, middle = _x(column), _x(column) + _COLUMN // 2
        if moment.is_evidence:
            yield f'<rect class="proof" x="{x}" y="0" width="{_COLUMN}" height="{height}"/>'
        if moment.is_cut:
            yield f'<path class="cut" d="M{x} {_HEAD - 8}V{height}"/>'
        yield _text(middle, 15, f"#{moment.seq}", "moment")
        yield _text(middle, 30, _time(moment.virtual_time_ms), "small")


def _lanes(lanes: Sequence[str], width: int) -> Iterator[str]:
    for number, name in enumerate(lanes):
        y = _HEAD + _LANE * number
        middle = y + _LANE // 2
        yield f'<path class="lane" d="M0 {y}H{width}"/>'
        yield (
            f'<text class="name" x="4" y="{middle + 4}">{escape(_cut(name, _LABEL_MAX))}'
            f"<title>{escape(name)}</title></text>"
        )
        yield f'<path class="thread" d="M{_LABEL} {middle}H{width}"/>'


def _cell(cell: EventCell) -> str:
    x, y = _x(cell.column) + 3, _HEAD + _LANE * cell.lane + (_LANE - _BOX) // 2
    kind = cell.kind if cell.kind in {"append", "marker", "retry", "truncation"} else "other"
    marks = [kind, "open" if cell.is_transactional else "", "proven" if cell.is_evidence else ""]
    middle = x + _COLUMN // 2 - 3
    return (
        f'<g class="cell {" ".join(filter(None, marks))}"><title>{escape(cell.tip)}</title>'
        f'<rect x="{x}" y="{y}" width="{_COLUMN - 6}" height="{_BOX}"'
        f' rx="{_BOX // 2 if kind == "marker" else 4}"/>'
        + _text(middle, y + 16, _cut(cell.first, _FIRST_MAX), "first")
        + _text(middle, y + 31, _cut(cell.second, _SECOND_MAX), "small")
        + "</g>"
    )


def _levels(levels: Sequence[Level], top: int, width: int) -> Iterator[str]:
    offsets = [value for level in levels for _, _, of in _LINES if (value := of(level)) is not None]
    low, high = min(offsets), max(offsets)

    def y(offset: int) -> int:
        span = max(high - low, 1)
        return top + _LEVELS - 8 - round((offset - low) * (_LEVELS - 22) / span)

    yield f'<path class="lane" d="M0 {top}H{width}"/>'
    for number, (name, words, of) in enumerate(_LINES):
        if path := _steps(levels, of, y):
            yield f'<path class="level {name}" d="{path}"/>'
            below = top + 22 + 20 * number
            yield f'<path class="level {name}" d="M4 {below - 4}h18"/>'
            yield f'<text class="name" x="28" y="{below}">{words}</text>'
    yield f'<text class="small right" x="{_LABEL - 4}" y="{y(high) + 4}">{high}</text>'
    if low != high:
        yield f'<text class="small right" x="{_LABEL - 4}" y="{y(low) + 4}">{low}</text>'


def _steps(levels: Sequence[Level], of: Offset, y: Callable[[int], int]) -> str:
    """Draw a step line: an offset stays the same until the next moment that has it."""
    path = ""
    for level in levels:
        offset = of(level)
        if offset is not None:
            x = _x(level.column) + _COLUMN // 2
            path += f"H{x}V{y(offset)}" if path else f"M{x} {y(offset)}"
    return f"{path}h{_COLUMN // 2 - 4}" if path else ""


def _text(x: int, y: int, text: str, style: str) -> str:
    return f'<text class="{style} mid" x="{x}" y="{y}">{escape(text)}</text>'


def _cut(text: str, length_max: int) -> str:
    return text if len(text) <= length_max else f"{text[: length_max - 1]}…"


def _time(virtual_time_ms: int) -> str:
    return datetime.fromtimestamp(virtual_time_ms / _MS, UTC).strftime("%H:%M:%S.%f")[:-3]
