"""Files of the results of an audit."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from mockbroker.report.audited import Audited
from mockbroker.spark.report.results import write_results


def test_the_results_are_three_files(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the table of findings needs pyarrow")
    written = write_results(tmp_path, Audited(sources=()), {})
    assert {path.name for path in written} == {"report.html", "verdict.json", "findings.parquet"}
    assert all(path.is_file() for path in written)


def test_without_pyarrow_the_table_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockbroker.spark.report.results.find_spec", Mock(return_value=None))
    written = write_results(tmp_path, Audited(sources=()), {})
    assert {path.name for path in written} == {"report.html", "verdict.json"}
