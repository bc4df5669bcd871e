"""Drawing of an overview of findings as SVG: every mark is a link to its first finding."""

from collections.abc import Iterator
from math import log10
from typing import Final

from mockbroker.audit.finding import Severity
from mockbroker.timeline.clock_text import clock_texts
from mockbroker.timeline.findings_overview import (
    COLUMNS,
    NO_TIME,
    FindingsOverview,
    OverviewMark,
)
from mockbroker.timeline.timeline_svg import escaped, fitted

_LABEL: Final = 210
_STEP: Final = 22
"""Width of a span of time."""
_ROW: Final = 24
_HEAD: Final = 22
_FOOT: Final = 26
_TICKS: Final = 5
_CHARACTER: Final = 6.8
_TIMELESS: Final = 64
"""Width of the column of findings without a time."""

OVERVIEW_STYLE: Final = """
.mockbroker-overview{color-scheme:light dark;--ground:#fff;--ink:#1b1f24;--soft:#5b6570;
--line:#d9dee4;--error:#b42318;--warning:#9a5b00;--info:#1f5fa8;display:block;
font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
@media (prefers-color-scheme:dark){.mockbroker-overview{--ground:#1b2027;--ink:#e7ebf0;
--soft:#a3adb8;--line:#343c46;--error:#ff8f85;--warning:#f2be6a;--info:#8dbdf5}}
.mockbroker-overview text{fill:var(--ink)}.mockbroker-overview .ground{fill:var(--ground)}
.mockbroker-overview .small{font-size:11px;fill:var(--soft)}
.mockbroker-overview .mid{text-anchor:middle}.mockbroker-overview .end{text-anchor:end}
.mockbroker-overview path.line{fill:none;stroke:var(--line)}
.mockbroker-overview .mark{cursor:pointer;outline:none}
.mockbroker-overview .mark text{fill:var(--ground);font-size:10px;font-weight:600}
.mockbroker-overview .mark .many{font-size:9px}
.mockbroker-overview .shape{stroke:var(--ground)}
.mockbroker-overview .ERROR .shape{fill:var(--error)}
.mockbroker-overview .WARNING .shape{fill:var(--warning)}
.mockbroker-overview .INFO .shape{fill:var(--info)}
.mockbroker-overview .mark:hover .shape,.mockbroker-overview .mark:focus .shape{
stroke:var(--ink);stroke-width:2.5}
.mockbroker-overview .mark.off{opacity:.15;pointer-events:none}
"""
"""Style sheet without external resources; all selectors begin with the class of the drawing."""


def overview_svg(overview: FindingsOverview, label: str) -> str:
    """Draw an overview for a page with `OVERVIEW_STYLE`; screen readers read `label`."""
    timeless = _TIMELESS if overview.has_timeless else 0
    has_times = overview.first_time_ms is not None
    width = _LABEL + timeless + (COLUMNS * _STEP if has_times else 0) + 12
    bottom = _HEAD + _ROW * len(overview.rows)
    body = [*_frame(overview, timeless, width, bottom)]
    body += [_mark(mark, overview, timeless) for mark in overview.marks]
    body += _legend(bottom)
    height = bottom + _FOOT
    return (
        f'<svg class="mockbroker-overview" role="group" aria-label="{escaped(label)}"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect class="ground" width="{width}" height="{height}"/>{"".join(body)}</svg>'
    )


def _frame(overview: FindingsOverview, timeless: int, width: int, bottom: int) -> Iterator[str]:
    left = _LABEL + timeless
    if timeless:
        yield f'<text class="small mid" x="{_LABEL + timeless // 2}" y="14">no time</text>'
    if overview.first_time_ms is not None and overview.last_time_ms is not None:
        first, span = overview.first_time_ms, overview.last_time_ms - overview.first_time_ms
        texts = clock_texts([first + span * tick // _TICKS for tick in range(_TICKS + 1)])
        for tick, text in enumerate(texts):
            x = left + COLUMNS * _STEP * tick // _TICKS
            yield f'<path class="line" d="M{x} {_HEAD}V{bottom}"/>'
            place = ("", "mid", "end")[(tick > 0) + (tick == _TICKS)]
            yield f'<text class="small {place}" x="{x}" y="14">{text}</text>'
    for number, name in enumerate(overview.rows):
        y = _HEAD + _ROW * number
        yield f'<path class="line" d="M0 {y}H{width}"/><g><title>{escaped(name)}</title>'
        shown = escaped(fitted(name, _LABEL - 10, _CHARACTER))
        yield f'<text x="4" y="{y + 16}">{shown}</text></g>'
    yield f'<path class="line" d="M0 {bottom}H{width}"/>'


def _mark(mark: OverviewMark, overview: FindingsOverview, timeless: int) -> str:
    count = len(mark.numbers)
    is_timed = mark.column != NO_TIME
    x = _LABEL + (timeless + _STEP * mark.column + _STEP // 2 if is_timed else timeless // 2)
    y = _HEAD + _ROW * mark.row + _ROW // 2
    findings = f"{count:,} finding{'s' * (count > 1)}"
    title = escaped(f"{overview.rows[mark.row]}: {findings}: {mark.text}")
    shown = "" if count == 1 else _shown(count)
    size = "mid many" if len(shown) > 2 else "mid"
    numbers = " ".join(map(str, mark.numbers))
    return (
        f'<a class="mark {mark.severity.value}" href="#finding-{mark.numbers[0]}"'
        f' data-findings="{numbers}" data-row="{mark.row}" data-column="{mark.column}">'
        f"<title>{title}</title>{_shape(mark.severity, x, y, _radius(count))}"
        f'<text class="{size}" x="{x}" y="{y + 4}">{shown}</text></a>'
    )


def _shown(count: int) -> str:
    return str(count) if count < 1_000 else f"{count // 1_000}k"


def _radius(count: int) -> float:
    return 5.5 if count == 1 else min(8.5 + log10(count), 10.5)


def _shape(severity: Severity, x: int, y: int, radius: float) -> str:
    """Draw a circle, a triangle or a square, so that severities differ without colours, too."""
    if severity is Severity.ERROR:
        return f'<circle class="shape" cx="{x}" cy="{y}" r="{radius:g}"/>'
    if severity is Severity.WARNING:
        side = radius * 1.15
        d = f"M{x:g} {y - side:g}L{x + side:g} {y + radius:g}H{x - side:g}Z"
        return f'<path class="shape" d="{d}"/>'
    half = radius * 0.9
    size = 2 * half
    return (
        f'<rect class="shape" x="{x - half:g}" y="{y - half:g}" width="{size:g}"'
        f' height="{size:g}" rx="2"/>'
    )


def _legend(bottom: int) -> Iterator[str]:
    for number, severity in enumerate(Severity):
        x, y = _LABEL + 8 + 100 * number, bottom + _FOOT // 2 + 2
        yield f'<g class="{severity.value}">{_shape(severity, x, y, 5.5)}'
        yield f'<text class="small" x="{x + 12}" y="{y + 4}">{severity.value}</text></g>'
