"""The rows of a load's ledger: written, read, and broken."""

import re
import sys
from pathlib import Path

import pytest

from mockbroker.errors import install_hint
from mockbroker.spark.load.load_ledger import (
    LedgerError,
    LoadCounts,
    SentRow,
    VisibleRecord,
)
from mockbroker.spark.load.load_ledger_files import (
    read_ledger,
    read_part,
    require_pyarrow,
    settle,
    write_sent,
    write_visible,
)
from tests.spark.load.test_load_ledger import ABOUT

pytest.importorskip("pyarrow", reason="Parquet needs the extra spark")
pytestmark = pytest.mark.slow


def row(task: int, number: int, attempt: int = 0, *, acked: bool = True) -> SentRow:
    return SentRow(
        task=task,
        attempt=attempt,
        client="confluent",
        transactional_id=None,
        transaction=None,
        record_id=f"7-{task}-{number}",
        topic="orders",
        partition=number % 2,
        sent_us=1_700_000_000_000_000 + number,
        outcome="acked" if acked else "unknown",
        offset=number if acked else None,
    )


def test_sent_rows_are_read_in_order_of_attempts(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    ABOUT.create(folder)
    second, first, other = [row(0, 0, 1)], [row(0, 0), row(0, 1)], [row(1, 0, acked=False)]
    for task, attempt, rows in ((0, 1, second), (1, 0, other), (0, 0, first)):
        write_sent(folder, task, attempt, rows)
    ABOUT.close(folder, LoadCounts(sent=4), ended_us=9, waiting={("orders", 1): 4})

    found = read_ledger(folder)
    assert found.waiting == {("orders", 1): 4}
    assert found.rows == [*first, *second, *other]
    assert (found.visible, found.broken, found.manifest.counts.sent) == (None, (), 4)


def test_a_file_of_the_same_attempt_is_replaced(tmp_path: Path) -> None:
    ABOUT.create(tmp_path / "ledger")
    write_sent(tmp_path / "ledger", 0, 0, [row(0, 0)])
    write_sent(tmp_path / "ledger", 0, 0, [row(0, 0), row(0, 1)])
    assert len(read_ledger(tmp_path / "ledger").rows) == 2


def test_visible_records_are_read_in_order_of_the_log(tmp_path: Path) -> None:
    ABOUT.create(tmp_path / "ledger")
    seen = [VisibleRecord("orders", 1, 3, "c"), VisibleRecord("orders", 0, 4, "b")]
    assert write_visible(tmp_path / "ledger", iter(seen)) == 2
    assert read_ledger(tmp_path / "ledger").visible == sorted(seen)


def test_an_empty_list_of_visible_records_differs_from_a_missing_one(tmp_path: Path) -> None:
    ABOUT.create(tmp_path / "ledger")
    assert read_ledger(tmp_path / "ledger").visible is None
    write_visible(tmp_path / "ledger", [])
    assert read_ledger(tmp_path / "ledger").visible == []


def test_an_incomplete_load_is_reported(tmp_path: Path) -> None:
    ABOUT.create(tmp_path / "ledger")
    (why,) = read_ledger(tmp_path / "ledger").broken
    assert "did not come to its end" in why


def test_a_missing_file_is_detected(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    ABOUT.create(folder)
    write_sent(folder, 0, 0, [row(0, 0)])
    write_sent(folder, 1, 0, [row(1, 0)]).unlink()
    ABOUT.close(folder, LoadCounts(sent=2), ended_us=9)
    assert read_ledger(folder).broken == (f"{folder} has 1 of the 2 rows of its load",)


def test_a_file_that_is_cut_off_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    ABOUT.create(folder)
    cut = write_sent(folder, 0, 0, [row(0, number) for number in range(100)])
    write_sent(folder, 1, 0, [row(1, 0)])
    ABOUT.close(folder, LoadCounts(sent=1), ended_us=9)
    cut.write_bytes(cut.read_bytes()[:-20])

    found = read_ledger(folder)
    assert found.rows == [row(1, 0)]
    assert len(found.broken) == 1
    assert str(cut) in found.broken[0]
    assert "\n" not in found.broken[0]


def test_a_file_of_something_else_is_no_part(tmp_path: Path) -> None:
    write_visible(tmp_path, [VisibleRecord("orders", 0, 0, "a")])
    with pytest.raises(LedgerError, match="cannot be read"):
        read_part(tmp_path / "visible-00001.parquet")


def test_a_completed_sink_marks_the_last_attempt_as_sent(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    ABOUT.create(folder)
    write_sent(folder, 2, 0, [row(2, 0, acked=False)])
    write_sent(folder, 2, 1, [row(2, 0, 1, acked=False), row(2, 1, 1, acked=False)])
    settle(folder, [2])
    found = [(each.attempt, each.outcome, each.offset) for each in read_ledger(folder).rows]
    assert found == [(0, "unknown", None), (1, "acked", None), (1, "acked", None)]


def test_without_the_extra_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=re.escape(install_hint("spark"))):
        require_pyarrow()
