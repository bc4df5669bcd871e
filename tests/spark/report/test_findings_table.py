"""The file of findings."""

from pathlib import Path
from typing import Any, Final

import pytest

from mockbroker.audit.finding import Finding
from mockbroker.spark.report.findings_table import COLUMNS, write_findings
from tests.support.verdicts import GAP, STUCK, audited_of

pq: Final[Any] = pytest.importorskip("pyarrow.parquet")


def rows_of(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def test_a_row_has_the_fields_of_a_finding(tmp_path: Path) -> None:
    first, second = rows_of(write_findings(tmp_path, audited_of(GAP, STUCK).findings()))
    said = GAP._asdict() | {"severity": "ERROR", "evidence": [14, 26], "consequences": []}
    assert first == {"number": 1, "source": "out/journal", **said}
    assert second["partition"] is None
    assert second["evidence"] == []
    assert (second["number"], second["severity"]) == (2, "WARNING")


def test_without_findings_the_columns_are_the_same(tmp_path: Path) -> None:
    path = write_findings(tmp_path, [])
    assert rows_of(path) == []
    assert pq.read_schema(path).names == [column.name for column in COLUMNS]


def test_no_field_of_a_finding_is_left_out() -> None:
    assert {column.name for column in COLUMNS} == {"number", "source", *Finding._fields}
