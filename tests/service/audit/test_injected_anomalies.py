"""Anomalies at known places in a large journal: all of them are found, and nothing else."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="folding needs the extra spark")

from mockbroker.audit.finding import AuditFinding
from mockbroker.audit.local import audit_folder
from mockbroker.audit.rule_table import RULES
from mockbroker.journal.manifest import parts_of
from tools.synthetic_journal.anomalies import RULES as INJECTED
from tools.synthetic_journal.anomalies import Injected
from tools.synthetic_journal.journal import Plan, Written, write_journal

pytestmark = pytest.mark.slow

EACH = 3
PLAN = Plan(rows=200_000, seed=11, each=EACH)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Written]:
    folder = tmp_path_factory.mktemp("synthetic") / "journal"
    return folder, write_journal(folder, PLAN, rows_a_part=30_000)


def unmatched(
    injected: Sequence[Injected], findings: Sequence[AuditFinding]
) -> tuple[list[Injected], list[AuditFinding]]:
    """Return what was not found, and what was found and is not there."""
    left, missed = list(findings), list[Injected]()
    for each in injected:
        found = next((finding for finding in left if proves(finding, each)), None)
        if found is None:
            missed.append(each)
        else:
            left.remove(found)
    return missed, left


def proves(finding: AuditFinding, injected: Injected) -> bool:
    return (
        finding.rule == injected.rule
        and finding.place == f"{injected.topic}-{injected.partition}"
        and injected.seq in finding.evidence
    )


def test_all_injected_anomalies_are_found_and_nothing_else(journal: tuple[Path, Written]) -> None:
    folder, written = journal
    verdict = audit_folder(folder)
    assert len(written.injected) == EACH * len(INJECTED)
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


def test_anomalies_have_the_names_of_rules() -> None:
    assert set(INJECTED) <= set(RULES)
    assert len(set(INJECTED)) == len(INJECTED) == 13
