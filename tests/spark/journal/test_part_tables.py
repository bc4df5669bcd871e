"""A file of a journal as tables, from its bytes."""

from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.written_journals import produced, written

pa: Final[Any] = pytest.importorskip("pyarrow")
pytest.importorskip("numpy")

from mockbroker.spark.journal.part_tables import part_tables  # noqa: E402 # it needs pyarrow


def parquet(**columns: Any) -> Any:
    sink = pa.BufferOutputStream()
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), sink)
    return sink.getvalue()


def test_a_part_has_its_rows_with_texts_as_dictionaries(tmp_path: Path) -> None:
    entries = list(produced(9))
    (part,) = written(tmp_path / "j", entries).glob("part-*")
    (table,) = part_tables(pa.py_buffer(part.read_bytes()))
    assert sorted(table["seq"].to_pylist()) == [entry.seq for entry in entries]
    assert pa.types.is_dictionary(table.schema.field("kind").type)
    assert "correlation_id" not in table.column_names


def test_columns_that_an_older_journal_lacks_are_left_out() -> None:
    (table,) = part_tables(parquet(seq=[1], kind=["append"], virtual_time_ms=[5]))
    assert set(table.column_names) == {"seq", "kind", "virtual_time_ms"}


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"id": [1]}, "its rows are not entries of a journal"),
        ({"seq": ["1"], "kind": ["append"], "virtual_time_ms": [5]},
         "its column seq has the type string instead of int64"),
        ({"seq": [None, 2], "kind": ["append"] * 2, "virtual_time_ms": [5, 6]},
         "some of its rows are not entries of a journal"),
    ],
)  # fmt: skip
def test_a_file_without_journal_rows_is_refused(columns: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        list(part_tables(parquet(**columns)))


def test_a_file_that_is_cut_off_is_no_parquet(tmp_path: Path) -> None:
    (part,) = written(tmp_path / "j", list(produced(9))).glob("part-*")
    with pytest.raises(pa.ArrowInvalid, match="Parquet magic bytes not found"):
        list(part_tables(pa.py_buffer(part.read_bytes()[:-100])))
