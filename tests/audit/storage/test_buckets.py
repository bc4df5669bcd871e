"""Rows in temporary files."""

from typing import Any

import pytest

pa: Any = pytest.importorskip("pyarrow", reason="tables need the extra spark")

import numpy as np  # noqa: E402 # it comes with pyarrow

from mockbroker.audit.storage.buckets import Buckets  # noqa: E402 # it needs pyarrow


def test_rows_with_the_same_key_come_into_the_same_bucket() -> None:
    buckets = Buckets(3)
    for texts in (["a", "b", "c"], ["b", None]):
        rows = pa.table({"text": pa.array(texts).dictionary_encode()})
        buckets.add(rows, np.array([ord(text or "a") for text in texts], np.int64))
    found = [rows["text"].to_pylist() for rows in buckets]
    assert sorted(found, key=str) == [["a", None], ["b", "b"], ["c"]]


def test_buckets_without_rows_are_left_out() -> None:
    assert list(Buckets(2)) == []
