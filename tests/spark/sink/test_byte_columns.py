"""Columns of bytes."""

from importlib import import_module
from typing import Any, Final

import pytest

from mockbroker.spark.sink.byte_columns import byte_column, bytes_of, is_valid, sizes, spans
from tests.support.spark_marks import SPARK_MARKS

pytestmark = SPARK_MARKS

pa: Final[Any] = import_module("pyarrow")  # it has no type annotations


def test_a_column_has_its_texts() -> None:
    assert byte_column([b"a", b"", b"bcd"]).to_pylist() == [b"a", b"", b"bcd"]
    assert byte_column([]).to_pylist() == []


@pytest.mark.parametrize("kind", [pa.string(), pa.binary(), pa.large_string(), pa.large_binary()])
def test_rows_of_a_part_are_where_they_say(kind: object) -> None:
    column = bytes_of(pa.array(["zz", "a", None, "", "bcd", "y"], kind).slice(1, 4))
    data, ends = spans(column)
    assert bytes(data) == b"abcd"
    assert ends.tolist() == [1, 1, 1, 4]
    assert sizes(column).tolist() == [1, 0, 0, 3]
    assert is_valid(column).tolist() == [True, False, True, True]
