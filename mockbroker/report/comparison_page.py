"""Page of a failed experiment: a cluster without the fault beside one with it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import Final

from mockbroker.report.failure_page import FailedCluster
from mockbroker.report.html_page import html_page, picture
from mockbroker.timeline.timeline import LEGEND, Timeline, TimelineCell

_NOTHING: Final = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedExperiment:
    """Content of the page."""

    name: str
    """What was done, and where."""
    reasons: Sequence[str]
    """Why it failed."""
    without_fault: FailedCluster
    with_fault: FailedCluster


def comparison_page(failed: FailedExperiment) -> str:
    """Return the page as HTML."""
    return html_page(failed.name, _body(failed), made_by="an exploration")


def first_difference(without_fault: Timeline, with_fault: Timeline) -> str | None:
    """Name the first batch in which two timelines of a partition differ; None if none does."""
    pairs = zip_longest(_batches(without_fault), _batches(with_fault), fillvalue=_NOTHING)
    different = next(((before, after) for before, after in pairs if before != after), None)
    if different is None:
        return None
    before, after = different
    return f"{_place(with_fault)}: {after}; without the fault {before}"


def _body(failed: FailedExperiment) -> Iterator[str]:
    reasons = escape("\n".join(failed.reasons))
    rows = f'<div class="rows wrapped">{reasons}</div>'
    yield f'<div class="banner findings"><h1>{escape(failed.name)}</h1>{rows}</div>'
    yield from _partitions(failed)
    for each in failed.with_fault.transactions:
        yield f'<h2>{escape(each.title)}</h2><div class="card">{picture(each)}</div>'
    for note in failed.with_fault.notes:
        yield f'<p class="soft">{escape(note)}</p>'
    for title, text in failed.with_fault.sections.items():
        rows = f'<div class="rows" tabindex="0">{escape(text)}</div>'
        yield f'<h2>{escape(title.capitalize())}</h2><div class="card">{rows}</div>'


def _partitions(failed: FailedExperiment) -> Iterator[str]:
    before = {_place(each): each for each in failed.without_fault.partitions}
    for after in failed.with_fault.partitions:
        place = _place(after)
        yield f"<h2>{escape(place)}</h2>"
        if place in before:
            difference = first_difference(before[place], after)
            if difference is not None:
                yield f"<p>First difference: {escape(difference)}</p>"
            yield f'<h3>Without the fault</h3><div class="card">{picture(before[place])}</div>'
        yield f'<h3>With the fault</h3><div class="card">{picture(after)}</div>'


def _place(timeline: Timeline) -> str:
    return timeline.title.partition(" · ")[0]


def _batches(timeline: Timeline) -> list[str]:
    found = [each for each in timeline.cells if each.first_offset is not None]
    return [_words(each) for each in sorted(found, key=lambda each: each.start)]


def _words(cell: TimelineCell) -> str:
    return f"a {LEGEND[cell.kind]} at offset {cell.first_offset}: {cell.first}".rstrip(": ")
