"""Tables as text, for terminals."""

import os
from collections.abc import Iterator, Sequence

import click


def heading(text: str) -> str:
    """Format a heading: bold on a terminal, unless NO_COLOR is set."""
    return text if os.environ.get("NO_COLOR") else click.style(text, bold=True)


def columns(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> Iterator[str]:
    """Format rows as lines, each column as wide as its widest cell.

    The columns with an index in `right` are aligned to the right.
    """
    count = len(rows[0]) if rows else 0
    widths = [max(len(row[column]) for row in rows) for column in range(count)]
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
