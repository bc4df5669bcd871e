"""Choice of the findings with a timeline, and of its rows."""

from mockbroker.report.audited import Placed
from mockbroker.report.timeline_rows import (
    BEFORE_MAX,
    BESIDE_MAX,
    DRAWN_MAX,
    PROOF_MAX,
    ROWS_MAX,
    drawn,
    nearest,
    proof_of,
    rows_in_memory,
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
    assert len(rows) == BEFORE_MAX + 1 + 2 * BESIDE_MAX + 1 + BESIDE_MAX
    assert rows[BEFORE_MAX] == middle, "the picture begins at the proof"
    assert {middle, answer} <= set(rows)
    assert {row.partition for row in rows if row != answer} == {middle.partition}
    assert {row.kind for row in rows if row != answer} == {"append"}
    assert [row.seq for row in rows] == sorted(row.seq for row in rows)


def test_a_timeline_has_both_copies_of_a_record_in_two_partitions() -> None:
    entries = [entry for entry in produced(200) if entry.kind == "append"]
    copy = next(entry for entry in entries if (entry.base_offset or 0) > 40)
    first = next(entry for entry in entries if entry.partition not in {None, copy.partition})
    finding = GAP._replace(
        partition=copy.partition, first_offset=copy.base_offset, evidence=(first.seq, copy.seq),
        copied_offset=first.base_offset, copied_partition=first.partition,
    )  # fmt: skip
    rows = nearest(finding, entries)
    assert {first, copy} <= set(rows)
    # In topics, batches of several partitions have the same number.
    same = entries[-1]._replace(seq=copy.seq, partition=99)
    assert same not in nearest(finding, [*entries, same])


def test_rows_in_memory_are_those_near_the_evidence() -> None:
    entries = list(produced(4000))
    appends = [entry for entry in entries if entry.kind == "append"]
    first, last = appends[10], appends[-10]
    finding = GAP._replace(partition=first.partition, evidence=(first.seq, last.seq))
    placed = [Placed(number=5, source="j", finding=finding)]
    assert rows_in_memory(placed, entries) == {5: nearest(finding, entries)}


def test_a_finding_without_evidence_has_the_last_rows() -> None:
    entries = list(produced(200))
    finding = GAP._replace(evidence=(), first_offset=None)
    (rows,) = rows_in_memory([Placed(number=1, source="j", finding=finding)], entries).values()
    assert len(rows) == ROWS_MAX
    assert rows_in_memory([], entries) == {}
