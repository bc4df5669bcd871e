"""Arrow arrays from numpy's numbers and from texts.

`pyarrow.array` would do the same, but its first call imports pandas if that is installed, which
takes half a second, in the middle of a load.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

import numpy as np

_NUMBERS: Final[Mapping[str, str]] = {
    "int64": "int64",
    "int32": "int32",
    "int16": "int16",
    "bool": "bool_",
}
"""Arrow's types by the kinds of columns."""


def _arrow() -> Any:
    return import_module("pyarrow")


@cache
def arrow_type(kind: str) -> Any:
    """Return the type of a column; texts are dictionary-encoded, as few of them repeat often."""
    pa = _arrow()
    if kind == "string":
        return pa.dictionary(pa.int32(), pa.string())
    return getattr(pa, _NUMBERS[kind])()


def numbers(values: Any, kind: str) -> Any:
    """Create an array of numpy's numbers without nulls."""
    return _of_numbers(values, kind, None)


def nulls(kind: str, count: int) -> Any:
    """Make an array without a value."""
    nothing = np.zeros(count, dtype=bool)
    if kind == "string":
        return _of_texts(np.zeros(count, np.int32), (), nothing)
    return _of_numbers(nothing, kind, nothing)


def column(values: Sequence[Any], kind: str) -> Any:
    """Make an array of numbers, truth or texts, any of which may be None."""
    valid = np.array([value is not None for value in values], dtype=bool)
    if kind == "string":
        places = {text: place for place, text in enumerate(_distinct(values))}
        indices = np.array([places.get(value, 0) for value in values], dtype=np.int32)
        return _of_texts(indices, tuple(places), valid)
    known = np.array([0 if value is None else value for value in values], dtype=_dtype(kind))
    return _of_numbers(known, kind, valid)


def same(text: str, count: int) -> Any:
    """Make an array of one text."""
    return _of_texts(np.zeros(count, np.int32), (text,), None)


def _distinct(values: Sequence[Any]) -> list[Any]:
    return [value for value in dict.fromkeys(values) if value is not None]


def _dtype(kind: str) -> Any:
    return np.dtype(kind)


def _bits(truth: Any) -> Any:
    """Pack truth as Arrow does, eight to a byte and the first one lowest."""
    return _arrow().py_buffer(np.packbits(truth, bitorder="little"))


def _validity(valid: Any) -> Any:
    return None if valid is None or valid.all() else _bits(valid)


def _of_numbers(values: Any, kind: str, valid: Any) -> Any:
    pa = _arrow()
    made = values.astype(_dtype(kind), copy=False)
    data = _bits(made) if kind == "bool" else pa.py_buffer(made)
    return pa.Array.from_buffers(arrow_type(kind), len(made), [_validity(valid), data])


def _of_texts(indices: Any, distinct: Sequence[str], valid: Any) -> Any:
    pa = _arrow()
    encoded = [text.encode() for text in distinct]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    dictionary = pa.Array.from_buffers(pa.string(), len(encoded), buffers)
    places = _of_numbers(indices, "int32", valid)
    return pa.DictionaryArray.from_arrays(places, dictionary)
