"""Anomalies at known places in a large journal: all of them are found, and nothing else."""

import random
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker.audit.local import audit_folder
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.journal.files.manifest import parts_of
from tools.synthetic_journal.anomalies import RULES as INJECTED
from tools.synthetic_journal.grafts import RULES as GRAFTED
from tools.synthetic_journal.injected import unmatched
from tools.synthetic_journal.journal import Plan, Written, write_journal

pytestmark = pytest.mark.slow

EACH = 3
PLAN = Plan(rows=200_000, seed=11, each=EACH)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Written]:
    folder = tmp_path_factory.mktemp("synthetic") / "journal"
    return folder, write_journal(folder, PLAN, rows_a_part=30_000)


def test_all_injected_anomalies_are_found_and_nothing_else(journal: tuple[Path, Written]) -> None:
    folder, written = journal
    verdict = audit_folder(folder)
    assert len(written.injected) == EACH * len(RULES)
    assert unmatched(written.injected, verdict.findings) == ([], [])
    assert verdict.counts.events == written.rows
    assert not verdict.broken


def test_parts_in_another_order_get_the_same_verdict(journal: tuple[Path, Written]) -> None:
    folder, _ = journal
    before = audit_folder(folder)
    paths = parts_of(folder, "parquet")
    moved = [path.rename(path.with_suffix(".moved")) for path in paths]
    random.Random(1).shuffle(moved)
    for path, name in zip(paths, moved, strict=True):
        name.rename(path)
    after = audit_folder(folder)
    assert (after.findings, after.unknown) == (before.findings, before.unknown)


def test_a_journal_without_anomalies_has_no_finding(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    write_journal(folder, Plan(rows=60_000, seed=12))
    assert not audit_folder(folder).findings


def test_each_rule_is_broken_by_an_anomaly() -> None:
    assert sorted((*INJECTED, *GRAFTED)) == sorted(RULES)
