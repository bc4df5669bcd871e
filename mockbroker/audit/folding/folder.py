"""Folding of any number of rows in bounded memory (extra `spark`), piece by piece.

Regular rows of a piece fold to a few runs. These runs, and the rows that stayed single, are folded
again with those of other pieces; the order of the pieces does not matter.
"""

from collections.abc import Collection, Iterable, Iterator
from importlib import import_module
from typing import Any, Final

from mockbroker.audit.folding.folding import NOTHING, fold
from mockbroker.audit.runs.run import StreamKey
from mockbroker.audit.runs.run_table import (
    joined,
    run_schema,
    runs_of_rows,
    without_dictionaries,
)

pa: Any = import_module("pyarrow")

ROWS_AT_ONCE: Final = 500_000
"""Number of rows from which on folding is worth its time."""


class Folder:
    """Accumulates rows, and returns their runs at the end."""

    def __init__(self, unfolded: Collection[StreamKey] = NOTHING) -> None:
        """Start empty; rows of `unfolded` streams are not folded."""
        self._unfolded: Final = frozenset(unfolded)
        self._rows: list[Any] = []
        self._folded: list[Any] = []
        self._settled = 0

    def add(self, rows: Any) -> None:
        """Add a table or record batch with columns of a journal."""
        self._rows.append(runs_of_rows(rows))
        if sum(each.num_rows for each in self._rows) >= ROWS_AT_ONCE:
            self._fold()

    def add_runs(self, runs: Any) -> None:
        """Add runs that were folded elsewhere."""
        self._folded.append(runs)
        self._merge_if_many()

    def _fold(self) -> None:
        if self._rows:
            self._folded.append(fold(joined(self._rows), self._unfolded))
            self._rows = []
            self._merge_if_many()

    def _merge_if_many(self) -> None:
        """Fold the accumulated runs again, once their number has doubled."""
        if sum(each.num_rows for each in self._folded) > 2 * self._settled + ROWS_AT_ONCE:
            self._merge()

    def _merge(self) -> None:
        merged = fold(joined(self._folded), self._unfolded)
        self._folded = [merged]
        self._settled = merged.num_rows

    def runs(self) -> Any:
        """Return the runs of all rows as a table."""
        self._fold()
        if len(self._folded) > 1:
            self._merge()
        return self._folded[0] if self._folded else run_schema().empty_table()


def fold_batches(
    batches: Iterable[Any], unfolded: Collection[StreamKey] = NOTHING
) -> Iterator[Any]:
    """Fold record batches of a journal's rows to record batches of runs without dictionaries.

    This is the function for Spark's `mapInArrow`: all rows of a task become a few runs.
    """
    folder = Folder(unfolded)
    for batch in batches:
        folder.add(batch)
    yield from without_dictionaries(folder.runs()).combine_chunks().to_batches()
