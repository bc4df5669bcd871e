"""Folded runs of a journal, from its folder and from tables."""

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="folding needs the extra spark")

from mockbroker.audit.folding.folded_reading import folded_reader
from mockbroker.audit.source import A_JOURNAL
from mockbroker.journal.files.folder import write_journal
from mockbroker.journal.files.manifest import Manifest
from mockbroker.journal.files.parquet_tables import table_of
from tests.support.audit_script import Script


def test_a_folder_and_its_tables_have_the_same_runs(tmp_path: Path) -> None:
    script = Script()
    for _ in range(3):
        script.produce(0)
    manifest = Manifest(format="jsonl", cluster_id="c", kafka="4.4", seed=1)
    write_journal(tmp_path / "journal", manifest, script.entries)
    tables = [table_of(script.entries, [])]
    runs, source = folded_reader(tables, A_JOURNAL)(frozenset())
    assert runs
    assert source.events == len(script.entries)
    assert folded_reader(tmp_path / "journal", A_JOURNAL)(frozenset()) == (runs, source)
