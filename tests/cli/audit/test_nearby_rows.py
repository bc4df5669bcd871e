"""Rows around findings, read again from a journal."""

from pathlib import Path

import pytest

from mockbroker.audit.local import audit_folder
from mockbroker.cli.audit.nearby_rows import rows_nearby
from mockbroker.journal.entry import Entry
from mockbroker.journal.options import JournalFormat
from mockbroker.report.audited import Placed
from mockbroker.report.timeline_rows import BEFORE_MAX, BESIDE_MAX
from tests.support.written_journals import produced, without_call, written


def nearby(folder: Path) -> list[Entry]:
    (finding,) = audit_folder(folder).of_rule("SEQUENCE_GAP")
    placed = Placed(number=1, source=str(folder), finding=finding)
    return rows_nearby(folder, [placed], 2)[1]


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_the_rows_of_a_finding_are_its_proof_and_those_of_its_log(
    tmp_path: Path,
    format: JournalFormat,  # noqa: A002
) -> None:
    entries = without_call(produced(400), 201)
    rows = nearby(written(tmp_path / "j", entries, format=format, parts=4))
    assert len(rows) == BEFORE_MAX + 2 + BESIDE_MAX
    assert {(row.topic, row.partition) for row in rows} == {("orders", 0)}
    seqs = [row.seq for row in rows]
    assert seqs == sorted(seqs)
    assert seqs[0] < 3 * 200 < seqs[-1]


def test_a_finding_without_rows_is_read_nothing_for(tmp_path: Path) -> None:
    folder = written(tmp_path / "j", without_call(produced(9), 5), format="jsonl")
    finding = audit_folder(folder).findings[0]
    placed = Placed(number=1, source=str(folder), finding=finding._replace(evidence=()))
    assert rows_nearby(folder, [placed], 2) == {}
