"""Arrow's arrays of numbers, truth and texts."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="Arrow's arrays need the extra spark")

from mockbroker.journal.files.arrow_arrays import (
    arrow_type,
    column,
    nulls,
    numbers,
    same,
)

np = pytest.importorskip("numpy", reason="Arrow's arrays need the extra spark")
pytestmark = pytest.mark.slow

WRITE_A_PART = """
import sys
from pathlib import Path
from mockbroker.events.event_types import BatchProduced, Sender
from mockbroker.journal.entry import Entry
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.recorded import Recorded
from mockbroker.journal.files.manifest import Manifest
from mockbroker.journal.files.folder import parquet_backend
from mockbroker.journal.files.parquet import ParquetParts
from mockbroker.state.events import LogPosition
parquet_backend()
before = set(sys.modules)
about = Manifest(format="parquet", cluster_id="a", kafka="4.4", seed=7)
parts = ParquetParts(Path(sys.argv[1]), about)
log = LogPosition("orders", 0, 1, 0, 0, 2, 2, 2)
sender = Sender(1, 2, "me", 9, -1, None, "orders", "User:me")
fields = (0, 99, -1, 2, 77, 0, 1, 0, 0, -1, -1, -1, 2)
batch = BatchProduced(9, 5, sender, fields, 0, log)
parts.write(Recorded(1, 2, 3, None, None, batch), Expansion({}))
parts.write_entries([Entry(7, "event", 2, 3, topic="orders", is_duplicate=True)])
parts.close()
print(*sorted(set(sys.modules) - before))
"""


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("int64", [1, None, -(1 << 63)]),
        ("int32", [(1 << 31) - 1, 2, 3]),
        ("int16", [None, None]),
        ("bool", [True, None, False] * 5),
        ("bool", [False] * 9),
        ("string", ["ä", None, "", "ä", "x" * 300]),
        ("string", [None, None]),
        ("string", []),
        ("int64", []),
    ],
)
def test_a_column_gives_its_values_back(kind: str, values: list[object]) -> None:
    array = column(values, kind)
    array.validate(full=True)
    assert (array.to_pylist(), array.type) == (values, arrow_type(kind))
    assert array.null_count == values.count(None)


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(OverflowError):
        column([1 << 31], "int32")


def test_numbers_of_numpy_are_narrowed_to_the_column() -> None:
    array = numbers(np.array([1, -2, 3], dtype=np.int64), "int16")
    assert (array.to_pylist(), array.type) == ([1, -2, 3], arrow_type("int16"))
    truth = numbers(np.array([1, 0] * 6, dtype=bool), "bool")
    assert truth.to_pylist() == [True, False] * 6


@pytest.mark.parametrize("kind", ["int64", "int16", "bool", "string"])
def test_nulls_are_null(kind: str) -> None:
    array = nulls(kind, 11)
    array.validate(full=True)
    assert (array.to_pylist(), array.type) == ([None] * 11, arrow_type(kind))


def test_a_text_is_repeated_the_given_number_of_times() -> None:
    array = same("Produce", 3)
    array.validate(full=True)
    assert array.to_pylist() == ["Produce"] * 3


def test_writing_a_journal_imports_neither_pandas_nor_pyarrow_compute(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITE_A_PART, str(tmp_path)]
    written = subprocess.run(command, capture_output=True, text=True, check=True)
    new = {name.split(".")[0] for name in written.stdout.split()}
    assert "pandas" not in new
    assert "pyarrow.compute" not in written.stdout.split()
    assert (tmp_path / "part-00001.parquet").exists()
