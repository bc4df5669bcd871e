"""The bench's report: medians and extremes, ratios to the rivals, goals met and missed."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bench.competitors import FLOOR, US, Competitor
from bench.figure import Figure, number
from bench.figures import FIGURES, in_table_order
from bench.measurement import Sample

_STEADY = 1.1
"""A ratio wavers if its extremes are further apart than this; then its range is shown."""


@dataclass(slots=True)
class Results:
    """All samples of a run: by figure, then by competitor; and the notes."""

    samples: dict[str, dict[str, list[float]]] = field(
        default_factory=dict[str, dict[str, list[float]]]
    )
    notes: list[str] = field(default_factory=list[str])

    def add(self, competitor: Competitor, sample: Sample) -> None:
        """Add one round of one competitor."""
        for key, value in sample.values.items():
            self.samples.setdefault(key, {}).setdefault(competitor.name, []).append(value)
        for remark in sample.remarks:
            self.note(f"{competitor.title}: {remark}")

    def note(self, text: str) -> None:
        """Add a note, once."""
        if text not in self.notes:
            self.notes.append(text)

    def median(self, key: str, name: str) -> float | None:
        """Return the median of a figure's samples, or None without samples."""
        values = self.samples.get(key, {}).get(name)
        return statistics.median(values) if values else None

    def ratios(self, key: str, rival: str, name: str = US) -> list[float]:
        """Return a competitor's samples, ours by default, over a rival's, round by round.

        Rounds are paired as they were measured, one after the other; a competitor that has another
        number of rounds is compared with the rival's median. Empty when one of them is missing or
        nothing.
        """
        ours = self.samples.get(key, {}).get(name, [])
        theirs = self.samples.get(key, {}).get(rival, [])
        if len(ours) != len(theirs) and theirs:
            theirs = [statistics.median(theirs)] * len(ours)
        return [one / other for one, other in zip(ours, theirs, strict=False) if other]

    def ratio(self, key: str, rival: str) -> float | None:
        """Return the median of our ratios to a rival, None when there are none."""
        ratios = self.ratios(key, rival)
        return statistics.median(ratios) if ratios else None


def verdict(results: Results, figure: Figure) -> str:
    """Return whether the figure's goals are met, or which are missed; empty without goals."""
    ours = results.median(figure.key, US)
    if ours is None:
        return "not measured"
    missed: list[str] = []
    if figure.target is not None and not figure.reaches(ours, figure.target):
        missed.append("target")
    unknown: list[str] = []
    for bound in figure.bounds:
        ratio = results.ratio(figure.key, bound.rival)
        if ratio is None:
            unknown.append(bound.rival)
        elif not figure.reaches(ratio, bound.ratio):
            missed.append(f"{ratio:.2f} × {bound.rival}")
    if missed:
        return f"MISSED ({', '.join(missed)})"
    if unknown:
        return f"met, but no {', '.join(unknown)}"
    return "met" if figure.goals() else ""


def table(results: Results, competitors: Sequence[Competitor]) -> list[str]:
    """Return the table's lines in Markdown that is readable as plain text."""
    rivals = [competitor for competitor in competitors if competitor.name != US]
    header = ["figure", "unit", "goal", US, "goal is"]
    for rival in rivals:
        header += [rival.title, "us ÷ it"]
    rows = [header]
    for figure in in_table_order(results.samples):
        row = [figure.title, figure.unit.value, figure.goals()]
        row += [_cell(results, figure.key, US), verdict(results, figure)]
        for rival in rivals:
            row.append(_cell(results, figure.key, rival.name))
            row.append(spread(results.ratios(figure.key, rival.name)) or "–")
        rows.append(row)
    return aligned(rows)


def _cell(results: Results, key: str, name: str) -> str:
    values = results.samples.get(key, {}).get(name)
    if not values:
        return "–"
    text = number(statistics.median(values))
    if len(values) > 1:
        text += f" ({number(min(values))}–{number(max(values))})"
    share = "" if name == FLOOR else spread(results.ratios(key, FLOOR, name))
    return f"{text} = {share} of the floor" if share else text


def spread(ratios: Sequence[float]) -> str:
    """Return the median of ratios as text, with their range if they waver; empty without any."""
    if not ratios:
        return ""
    text = f"{statistics.median(ratios):.2f}"
    if max(ratios) > _STEADY * min(ratios):
        text += f" [{min(ratios):.2f}–{max(ratios):.2f}]"
    return text


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines of a Markdown table with aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        _line(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    ]
    lines.insert(1, _line("-" * width for width in widths))
    return lines


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def missed(results: Results) -> list[str]:
    """Return the titles of the figures with missed goals."""
    return [
        figure.title
        for figure in in_table_order(results.samples)
        if verdict(results, figure).startswith("MISSED")
    ]


def as_json(results: Results, about: Mapping[str, object]) -> dict[str, object]:
    """Return every sample as JSON, including those without a line in the table."""
    figures: dict[str, object] = {}
    for key, samples in results.samples.items():
        figure = FIGURES.get(key)
        entry: dict[str, object] = {"samples": samples}
        entry["median"] = {name: results.median(key, name) for name in samples}
        if FLOOR in samples:
            shares = {name: spread(results.ratios(key, FLOOR, name)) for name in samples}
            entry["share_of_floor"] = {name: text for name, text in shares.items() if name != FLOOR}
        if figure is not None:
            entry |= {"title": figure.title, "unit": figure.unit.value, "goal": figure.goals()}
            entry["verdict"] = verdict(results, figure)
        figures[key] = entry
    return {"_v": 1, **about, "figures": figures, "notes": results.notes}
