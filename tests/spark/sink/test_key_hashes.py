"""Hashes of columns, compared with those of one key at a time."""

from importlib import import_module
from typing import Any, Final

from hypothesis import given
from hypothesis.strategies import binary, integers, lists, one_of

from mockbroker.protocol.records.murmur2 import murmur2
from mockbroker.spark.sink.byte_columns import byte_column, bytes_of
from mockbroker.spark.sink.key_hashes import murmur2_of
from tests.support.spark_marks import SPARK_MARKS

pytestmark = SPARK_MARKS

pa: Final[Any] = import_module("pyarrow")  # it has no type annotations

KEYS: Final = lists(one_of(binary(max_size=9), binary(max_size=300)), max_size=80)


@given(KEYS)
def test_keys_of_a_column_have_their_hashes(keys: list[bytes]) -> None:
    assert murmur2_of(byte_column(keys)).tolist() == [murmur2(key) for key in keys]


@given(KEYS, integers(0, 5))
def test_a_part_of_a_column_and_one_with_nulls_have_them_too(keys: list[bytes], skip: int) -> None:
    column = bytes_of(pa.array([*keys, None, b"last"], pa.binary())).slice(skip)
    wanted = [murmur2(key or b"") for key in [*keys, None, b"last"]][skip:]
    assert murmur2_of(column).tolist() == wanted
