"""Columns as arrays."""

import pytest

pytest.importorskip("pyarrow", reason="tables need the extra spark")

import pyarrow as pa

from mockbroker.audit.runs.column_arrays import TYPES, are, codes, numbers, truths, whole

TABLE = pa.concat_tables(
    [
        pa.table({"kind": ["append", None], "call": pa.array([7, None], pa.int32())}),
        pa.table({"kind": ["marker", "append"], "call": pa.array([8, 9], pa.int32())}),
    ]
)


def test_a_column_becomes_one_array_of_its_type() -> None:
    for name in ("kind", "call", "is_duplicate"):
        assert whole(TABLE, name).type == TYPES[name]
        assert len(whole(TABLE, name)) == 4
    encoded = pa.table({"kind": TABLE["kind"].dictionary_encode()})
    assert whole(encoded, "kind").to_pylist() == ["append", None, "marker", "append"]


def test_null_is_a_number_of_its_own() -> None:
    assert numbers(whole(TABLE, "call")).tolist() == [7, -1, 8, 9]
    assert numbers(whole(TABLE, "acks")).tolist() == [-1] * 4
    kinds = codes(whole(TABLE, "kind"))
    assert (kinds[0] == kinds[3], kinds[1], kinds[2] == kinds[0]) == (True, -1, False)


def test_null_is_not_true_and_no_text() -> None:
    said = pa.table({"is_duplicate": [True, None, False]})
    assert truths(whole(said, "is_duplicate")).tolist() == [True, False, False]
    assert truths(whole(said, "is_transactional")).tolist() == [False] * 3
    assert are(whole(TABLE, "kind"), "append", "lost").tolist() == [True, False, False, True]
    assert are(whole(TABLE, "api"), "Produce").tolist() == [False] * 4
