"""Tables as text, for terminals."""

import os
from collections.abc import Iterator, Sequence

import click

from mockbroker.events.printable import printable_lines


class Heading(str):
    """Line that is bold on a terminal, unless NO_COLOR is set."""

    __slots__ = ()


def write_line(line: str) -> None:
    """Write a line to stdout; control characters are escaped."""
    text = printable_lines(line)
    is_bold = isinstance(line, Heading) and not os.environ.get("NO_COLOR")
    click.echo(click.style(text, bold=True) if is_bold else text)


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
