"""Columns of journals and runs as arrays of Arrow and of numpy (extra `spark`)."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mockbroker.audit.runs.run import COLUMNS

pa: Any = import_module("pyarrow")

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
TEXT: Final = pa.dictionary(pa.int32(), pa.string())
_ARROW: Final = {"int64": pa.int64(), "bool": pa.bool_(), "string": TEXT}
TYPES: Final = {column.name: _ARROW[column.kind] for column in COLUMNS}
"""Arrow's types of a run's columns."""


def whole(table: Any, name: str) -> Any:
    """Return a column as one array of its type, of texts with a dictionary."""
    if name not in table.column_names:
        return pa.nulls(table.num_rows, TYPES[name])
    column = table[name]
    if pa.types.is_dictionary(column.type):
        return column.unify_dictionaries().combine_chunks()
    one = column.combine_chunks()
    if TYPES[name] == TEXT:
        return one.cast(pa.string()).dictionary_encode()
    return one.cast(TYPES[name])


def numbers(column: Any) -> Ints:
    """Return the numbers of a whole column, and -1 for null."""
    if column.null_count == len(column):
        return np.full(len(column), -1, np.int64)
    return np.asarray(column.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)


def truths(column: Any) -> Bools:
    """Return the truths of a whole column; null is false."""
    if column.null_count == len(column):
        return np.zeros(len(column), bool)
    return np.asarray(column.fill_null(False).to_numpy(zero_copy_only=False), bool)


def codes(column: Any) -> Ints:
    """Return the numbers of texts in their dictionary, and -1 for null."""
    return numbers(column if column.null_count == len(column) else column.indices)


def are(column: Any, *texts: str) -> Bools:
    """Return which rows of a whole column have one of some texts."""
    if column.null_count == len(column):
        return np.zeros(len(column), bool)
    known: Iterable[str] = column.dictionary.to_pylist()
    is_wanted = np.array([*(each in texts for each in known), False])  # the last one is for null
    return np.asarray(is_wanted[codes(column)], bool)
