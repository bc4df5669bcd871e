"""Tables as text: each column as wide as it has to be."""

from collections.abc import Iterator, Sequence


def columns(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> Iterator[str]:
    """Write rows of the same length as lines; the columns of `right` are set to the right."""
    count = len(rows[0]) if rows else 0
    widths = [max(len(row[column]) for row in rows) for column in range(count)]
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
