"""Overview of findings: partitions by time, with a mark for the findings at one place and time.

Rows are partitions, or bands of consecutive ones where there are many; columns are equal spans of
the cluster's time. Findings without a partition have a row, those without a time a column.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from mockbroker.audit.finding import Finding, Severity

COLUMNS: Final = 36
"""Number of spans of time."""
ROWS_MAX: Final = 40
"""Maximum number of rows with partitions."""
NO_TIME: Final = -1
"""The column of findings without a time."""
NO_PARTITION: Final = "no partition"
_RULES_MAX: Final = 3


class NumberedFinding(NamedTuple):
    """A finding with its number in the report."""

    number: int
    finding: Finding
    has_picture: bool = False


class OverviewMark(NamedTuple):
    """The findings at one place and time."""

    row: int
    column: int
    severity: Severity
    """The worst one."""
    numbers: tuple[int, ...]
    """The findings, first those with a picture."""
    text: str


class FindingsOverview(NamedTuple):
    """Layout of an overview."""

    rows: tuple[str, ...]
    marks: tuple[OverviewMark, ...]
    """By row and column."""
    first_time_ms: int | None
    last_time_ms: int | None
    """The bounds of the columns; None if no finding has a time."""

    @property
    def has_timeless(self) -> bool:
        """True if there are findings without a time."""
        return any(mark.column == NO_TIME for mark in self.marks)


def findings_overview(findings: Sequence[NumberedFinding]) -> FindingsOverview:
    """Lay out findings, from the time of the first one to that of the last one."""
    known = [each.finding.virtual_time_ms for each in findings]
    times = [each for each in known if each is not None]
    first, last = (min(times), max(times)) if times else (None, None)
    rows, row_of = _rows([each.finding for each in findings])
    cells: defaultdict[tuple[int, int], list[NumberedFinding]] = defaultdict(list)
    for each in findings:
        column = _column(each.finding.virtual_time_ms, first, last)
        cells[row_of[_place(each.finding)], column].append(each)
    marks = tuple(_mark(*cell, there) for cell, there in sorted(cells.items()))
    return FindingsOverview(rows, marks, first, last)


def _place(finding: Finding) -> tuple[str, int]:
    """Return the partition; a topic has its own place before its partitions."""
    return finding.topic or "", -1 if finding.partition is None else finding.partition


def _rows(findings: Sequence[Finding]) -> tuple[tuple[str, ...], dict[tuple[str, int], int]]:
    places = sorted({_place(each) for each in findings})
    without = [place for place in places if not place[0]]
    bands = _bands(places[len(without) :])
    names = [NO_PARTITION] * bool(without) + [_band(each) for each in bands]
    row_of = dict.fromkeys(without, 0)
    for row, band in enumerate(bands, bool(without)):
        row_of.update(dict.fromkeys(band, row))
    return tuple(names), row_of


def _bands(places: Sequence[tuple[str, int]]) -> list[Sequence[tuple[str, int]]]:
    """Group consecutive partitions, those of one topic if there are few topics."""
    by_topic = [list(those) for _, those in groupby(places, key=itemgetter(0))]
    if len(places) > ROWS_MAX <= 2 * len(by_topic):
        by_topic = [list(places)]
    rows = ROWS_MAX if len(places) <= ROWS_MAX else ROWS_MAX + 1 - len(by_topic)
    size = -(-len(places) // rows) or 1
    return [those[at : at + size] for those in by_topic for at in range(0, len(those), size)]


def _band(places: Sequence[tuple[str, int]]) -> str:
    (topic, first), (last_topic, last) = places[0], places[-1]
    name = topic if first < 0 else f"{topic}-{first}"
    if len(places) == 1:
        return name
    return f"{name} … {last}" if last_topic == topic else f"{name} … {last_topic}-{last}"


def _column(time_ms: int | None, first_ms: int | None, last_ms: int | None) -> int:
    if time_ms is None or first_ms is None or last_ms is None:
        return NO_TIME
    span_ms = last_ms - first_ms + 1
    return (time_ms - first_ms) * COLUMNS // span_ms


def _mark(row: int, column: int, there: Sequence[NumberedFinding]) -> OverviewMark:
    worst = min((each.finding.severity for each in there), key=lambda each: each.rank)
    ordered = sorted(there, key=lambda each: (not each.has_picture, each.number))
    rules = Counter(each.finding.rule for each in there).most_common()
    said = [f"{count:,} {rule}" for rule, count in rules[:_RULES_MAX]]
    more = len(rules) - _RULES_MAX
    text = ", ".join(said) + (f" and {more} other rules" if more > 0 else "")
    return OverviewMark(row, column, worst, tuple(each.number for each in ordered), text)
