"""Records that readers found, with ids in a column."""

from pathlib import Path

import pytest

from mockbroker.audit.identity.found_rows import PLACE, column_of, found_in, found_in_parquet
from mockbroker.audit.identity.visible_ids import VisibleId

ROW = {"topic": "orders", "partition": 0, "offset": 3, "order_id": 7}


@pytest.mark.parametrize(
    ("identity", "column"),
    [("column:order_id", "order_id"), ("column:", None), ("key", None), (None, None)],
)
def test_an_identity_may_be_a_column(identity: str | None, column: str | None) -> None:
    assert column_of(identity) == column


def test_rows_without_an_id_are_left_out() -> None:
    rows = [ROW, ROW | {"order_id": None}, ROW | {"offset": 4, "order_id": b"\xff7"}]
    assert list(found_in(rows, "order_id")) == [
        VisibleId("orders", 0, 3, "7"),
        VisibleId("orders", 0, 4, "\\xff7"),
    ]


def test_rows_of_pandas_without_an_id_are_left_out() -> None:
    pd = pytest.importorskip("pandas", reason="data frames need the extra spark")
    rows = pd.DataFrame([ROW, ROW | {"order_id": None}, ROW | {"order_id": None}])
    for frame in (rows, rows.convert_dtypes()):
        (found,) = found_in(frame.to_dict("records"), "order_id")
        assert found.offset == 3


@pytest.mark.parametrize(
    "row",
    [
        {"topic": "orders"},
        ROW | {"partition": None},
        ROW | {"offset": "last"},
        ("orders", 0, 3, "7"),
        None,
    ],
)
def test_a_row_without_the_columns_is_named(row: object) -> None:
    with pytest.raises(ValueError, match="row 1 of the found records needs topic, partition, off"):
        list(found_in([ROW, row], "order_id"))


def test_ids_of_parquet_are_texts(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs the extra spark")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.Table.from_pylist([ROW, ROW | {"order_id": None}]), tmp_path / "t.parquet")
    path = str(tmp_path / "t.parquet")
    assert found_in_parquet(path, "order_id") == [VisibleId("orders", 0, 3, "7")]
    with pytest.raises(ValueError, match="id"):
        found_in_parquet(path, "id")
    with pytest.raises(OSError, match="gone"):
        found_in_parquet(str(tmp_path / "gone"), "order_id")


@pytest.mark.parametrize(
    ("record_id", "found"),
    [(b"\xff7", r"\xff7"), (b"7", "7"), (1.5, "1.5"), (True, "true")],
)
def test_a_column_of_parquet_may_have_bytes(tmp_path: Path, record_id: object, found: str) -> None:
    path = _parquet(tmp_path, record_id)
    assert found_in_parquet(path, "order_id") == [VisibleId("orders", 0, 3, found)]


@pytest.mark.parametrize(
    "kind", ["binary", "large_binary", "fixed", "binary_view", "dictionary", "uuid"]
)
def test_bytes_of_any_kind_are_ids(tmp_path: Path, kind: str) -> None:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs the extra spark")
    made = {
        "fixed": lambda: pa.binary(16),
        "dictionary": lambda: pa.dictionary(pa.int32(), pa.binary()),
    }.get(kind) or getattr(pa, kind)
    path = _parquet(tmp_path, b"\xff" * 16, made())
    assert found_in_parquet(path, "order_id") == [VisibleId("orders", 0, 3, r"\xff" * 16)]


def test_no_number_is_no_id(tmp_path: Path) -> None:
    assert found_in_parquet(_parquet(tmp_path, float("nan")), "order_id") == []


@pytest.mark.parametrize("record_id", [[1], {"id": 1}])
def test_a_column_of_parquet_without_ids_is_refused(tmp_path: Path, record_id: object) -> None:
    with pytest.raises(ValueError, match=r"its column order_id has .*, and no ids"):
        found_in_parquet(_parquet(tmp_path, record_id), "order_id")


def test_a_position_may_be_the_identity(tmp_path: Path) -> None:
    path = _parquet(tmp_path, 7)
    assert found_in_parquet(path, "offset") == [VisibleId("orders", 0, 3, "3")]


def _parquet(folder: Path, record_id: object, kind: object = None) -> str:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs the extra spark")
    pq = pytest.importorskip("pyarrow.parquet")
    path = folder / "t.parquet"
    place = {name: [ROW[name]] for name in PLACE}
    pq.write_table(pa.table(place | {"order_id": pa.array([record_id], kind)}), path)
    return str(path)
