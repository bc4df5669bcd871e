"""Columns of bytes, and where the bytes of each row are."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_pa: Final[Any] = import_module("pyarrow")  # it has no type annotations

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_BYTES: Final = _pa.large_binary()


def byte_column(texts: Sequence[bytes]) -> Any:
    """Make a column."""
    return _pa.array(texts, _BYTES)


def bytes_of(column: Any) -> Any:
    """Return a column of texts or bytes as one of bytes."""
    return column.cast(_BYTES)


def spans(column: Any) -> tuple[memoryview, Ints]:
    """Return the bytes of a column, and where in them each row ends."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    return memoryview(data or b"")[ends[0] : ends[-1]], ends[1:] - ends[0]


def sizes(column: Any) -> Ints:
    """Return the number of bytes of each row."""
    _, ends = spans(column)
    return np.diff(ends, prepend=0)


def is_valid(column: Any) -> Bools:
    """Return which rows of a column of any type are not null."""
    return np.asarray(column.is_valid().to_numpy(zero_copy_only=False), bool)
