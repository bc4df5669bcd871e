"""Choice of the findings with a timeline, and of its rows."""

from mockbroker.spark.audit.audited import Placed
from mockbroker.spark.report.timeline_rows import (
    DRAWN_MAX,
    PROOF_MAX,
    ROWS_MAX,
    drawn,
    nearest,
    proof_of,
    windows,
)
from tests.support.verdicts import GAP, STUCK
from tests.support.written_journals import produced


def test_each_rule_gets_some_timelines_before_one_gets_all() -> None:
    findings = [GAP] * (2 * DRAWN_MAX) + [STUCK] * 3
    placed = [
        Placed(number=number, source="j", finding=finding)
        for number, finding in enumerate(findings, 1)
    ]
    chosen = drawn(placed)
    assert len(chosen) == DRAWN_MAX
    assert [each.finding.rule for each in chosen].count("LSO_STUCK") == 3
    assert [each.number for each in chosen] == sorted(each.number for each in chosen)


def test_only_the_ends_of_long_evidence_are_shown() -> None:
    assert proof_of(GAP) == GAP.evidence
    seqs = proof_of(GAP._replace(evidence=tuple(range(100))))
    assert seqs == (*range(6), *range(94, 100))
    assert len(seqs) == PROOF_MAX


def test_a_timeline_has_the_proof_and_the_nearest_rows_of_its_partition() -> None:
    entries = list(produced(200))
    middle = next(entry for entry in entries if entry.kind == "append" and entry.seq > 300)
    answer = next(entry for entry in entries if entry.kind == "answer" and entry.seq > 400)
    finding = GAP._replace(partition=middle.partition, evidence=(middle.seq, answer.seq))
    rows = nearest(finding, entries)
    assert len(rows) == ROWS_MAX
    assert {middle, answer} <= set(rows)
    assert {row.partition for row in rows if row != answer} == {middle.partition}
    assert {row.kind for row in rows if row != answer} == {"append"}
    assert [row.seq for row in rows] == sorted(row.seq for row in rows)


def test_windows_of_files_match_the_conditions_of_spark() -> None:
    finding = GAP._replace(transactional_id="t")
    kinds = {window.kinds for window in windows(finding, 10)}
    assert [each.first_seq for each in windows(GAP, 10)] == [4, 16]
    assert {each.topic for each in windows(GAP, 10)} == {"orders"}
    assert ("transaction",) in kinds
    placeless = list(windows(GAP._replace(topic=None), 10))
    assert {each.producer_id for each in placeless} == {100}
