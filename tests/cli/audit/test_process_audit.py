"""Audit in this process: of sound journals, and of broken ones."""

import io
import json
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from mockbroker import Cluster
from mockbroker.audit import local
from mockbroker.audit.finding import Severity
from mockbroker.cli.audit.process_audit import audit
from mockbroker.journal.files.manifest import MANIFEST, Manifest
from mockbroker.report.audited import Audited, ExitCode
from mockbroker.spark.auditing.audit_request import AuditRequest
from mockbroker.spark.auditing.journal_remarks import ends_of_evidence
from mockbroker.spark.report.progress import Progress
from tests.support.terminal import on_a_terminal
from tests.support.written_journals import produced, without_call, written


def audited(*sources: Path, fail_on: Severity = Severity.INFO) -> Audited:
    request = AuditRequest(sources=[*map(str, sources)], out=None, fail_on=fail_on)
    return audit(request, Progress(io.StringIO()))


@pytest.fixture(params=["tables", "entries"])
def journal(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Write a journal with a gap, for readers with and without numpy and pyarrow."""
    if request.param != "tables":
        monkeypatch.setattr(local, "has_arrow", lambda: False)
    return written(tmp_path / "j", without_call(produced(30), 9), format="jsonl", parts=3)


def test_the_findings_of_a_journal(journal: Path) -> None:
    result = audited(journal)
    assert result.exit_code() is ExitCode.FINDINGS
    rules = {placed.finding.rule for placed in result.findings()}
    assert rules == {"SEQUENCE_GAP", "OFFSET_GAP_UNEXPLAINED"}
    (source,) = result.sources
    assert (source.source, source.kind, source.notes) == (str(journal), "journal", ())


def test_each_source_is_judged_on_its_own(journal: Path, tmp_path: Path) -> None:
    clean = written(tmp_path / "clean", list(produced(9)), format="jsonl")
    result = audited(journal, clean, journal, tmp_path / "gone")
    assert [each.source for each in result.sources] == [str(journal), str(clean)]
    assert result.exit_code() is ExitCode.BROKEN_INPUT
    assert "no such folder" in result.bad[0].what


def test_a_journal_with_a_gap_is_judged_before_and_after_it(journal: Path) -> None:
    whole = audited(journal).sources[0].verdict
    (journal / "part-00002.jsonl").unlink()
    result = audited(journal)
    assert result.exit_code() is ExitCode.BROKEN_INPUT
    assert result.bad[0].what == (
        "part-00002.jsonl is missing: the parts before and after the gap are judged separately."
    )
    (source,) = result.sources
    assert source.notes == ends_of_evidence(is_closed=True, is_cut_off=False, pieces=2)
    assert 0 < source.verdict.counts.appends < whole.counts.appends
    assert source.verdict.findings == whole.findings, "the gap itself is none"


def test_a_journal_that_begins_late_says_so(journal: Path) -> None:
    manifest = Manifest.read(journal)
    replace(manifest, dropped_count=1_234).write(journal)
    (source,) = audited(journal).sources
    assert source.notes == (
        "Memory had dropped 1,234 entries before it was exported: what they told is unknown.",
    )


def test_parts_with_the_names_of_other_writers_are_judged(journal: Path) -> None:
    whole = audited(journal).sources[0].verdict
    for part in journal.glob("part-*"):
        part.rename(part.with_name(f"{part.stem}-3f0c2c1e-c000.snappy.jsonl"))
    result = audited(journal)
    assert result.sources[0].verdict == whole
    assert not result.bad


def test_a_last_part_that_is_missing_is_noticed(journal: Path) -> None:
    (journal / "part-00003.jsonl").unlink()
    result = audited(journal)
    assert result.bad[0].what.startswith("part-00003.jsonl is missing")
    assert result.sources[0].notes == ()


def test_a_part_that_ends_too_early_makes_no_gap(journal: Path) -> None:
    whole = audited(journal).sources[0].verdict
    part = journal / "part-00002.jsonl"
    part.write_bytes(b"".join(part.read_bytes().splitlines(keepends=True)[:-6]))
    result = audited(journal)
    assert result.exit_code() is ExitCode.BROKEN_INPUT
    assert "are missing, between part-00002.jsonl and part-00003.jsonl" in result.bad[0].what
    (source,) = result.sources
    assert source.notes == ends_of_evidence(is_closed=True, is_cut_off=False, pieces=2)
    assert source.verdict.findings == whole.findings, "the gap itself is none"


def test_a_last_part_that_ends_too_early_is_noticed(journal: Path) -> None:
    part = journal / "part-00003.jsonl"
    part.write_bytes(b"".join(part.read_bytes().splitlines(keepends=True)[:-6]))
    (bad,) = audited(journal).bad
    assert bad.what == "6 of its 87 rows are missing, at its end or in a part."


def test_without_any_part_nothing_is_judged(journal: Path) -> None:
    for path in journal.glob("part-*"):
        path.unlink()
    result = audited(journal)
    assert not result.sources
    assert result.bad[0].what.startswith("part-00001.jsonl, ")


def test_a_parquet_file_without_an_end_costs_no_more_than_itself(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="Parquet needs the extra spark")
    journal = written(tmp_path / "j", list(produced(30)), format="parquet", parts=3)
    part = journal / "part-00002.parquet"
    part.write_bytes(part.read_bytes()[:-20])
    result = audited(journal)
    assert (result.bad[0].where, len(result.bad)) == (str(part), 1)
    (source,) = result.sources
    assert source.verdict.findings == ()
    assert source.notes == ends_of_evidence(is_closed=True, is_cut_off=False, pieces=2)


@pytest.mark.parametrize("line", ["}{ rubbish", "[1]", "{}", '{"seq": "1", "kind": "append"}'])
def test_a_part_with_an_invalid_line_is_left_out(journal: Path, line: str) -> None:
    whole = audited(journal).sources[0].verdict
    part = journal / "part-00002.jsonl"
    part.write_text(line + "\n" + part.read_text("utf-8"), "utf-8")
    result = audited(journal)
    assert result.exit_code() is ExitCode.BROKEN_INPUT
    (bad,) = result.bad
    assert bad.where == str(part)
    assert bad.what == (
        f"It cannot be read (1 of its rows are not entries of a journal, the first: {line!r}): the"
        " parts before and after it are judged separately."
    )
    (source,) = result.sources
    assert source.notes == ends_of_evidence(is_closed=True, is_cut_off=False, pieces=2)
    assert 0 < source.verdict.counts.appends < whole.counts.appends
    assert source.verdict.findings == whole.findings, "the gap itself is none"


def test_a_part_that_is_cut_off_in_the_middle_is_left_out(journal: Path) -> None:
    part = journal / "part-00002.jsonl"
    part.write_bytes(part.read_bytes()[:-20])
    (bad,) = audited(journal).bad
    assert bad.where == str(part)
    assert "1 of its rows are not entries of a journal" in bad.what


def test_an_invalid_line_in_the_only_part_leaves_nothing(tmp_path: Path) -> None:
    journal = written(tmp_path / "j", list(produced(9)), format="jsonl", parts=1)
    part = journal / "part-00001.jsonl"
    part.write_bytes(b"no entry\n" + part.read_bytes())
    result = audited(journal)
    assert not result.sources
    assert result.bad[0].what.endswith("the first: 'no entry'): no other part can be judged.")


def test_rows_that_do_not_fit_together_are_refused(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse = Mock(side_effect=ValueError("strange"))
    monkeypatch.setattr("mockbroker.cli.audit.process_audit.audit_folder", refuse)
    (bad,) = audited(journal).bad
    assert bad.what == (
        "It is damaged: its rows do not fit together (ValueError('strange'))."
        " Nothing of it is judged."
    )


def test_what_readers_found_is_compared_for_topics_too(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs the extra spark")
    pq = pytest.importorskip("pyarrow.parquet")
    place = {"topic": "orders", "partition": 0}
    rows = [{**place, "offset": offset, "order_id": "a"} for offset in range(2)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "found.parquet")
    with Cluster(topics={"orders": 1}) as cluster:
        cluster.append("orders", "x")
        cluster.append("orders", "y")
        request = AuditRequest(
            sources=[f"kafka://{cluster.bootstrap_servers}/orders"],
            out=None,
            identity="column:order_id",
            found=str(tmp_path / "found.parquet"),
        )
        (source,) = audit(request, Progress(io.StringIO())).sources
    (finding,) = source.verdict.findings
    assert "it is 'a', which is also in orders-0 at offset 0" in finding.text
    assert (source.verdict.identity, len(finding.evidence)) == ("column:order_id", 2)


def test_a_line_that_was_cut_off_is_mentioned(journal: Path) -> None:
    part = journal / "part-00003.jsonl"
    part.write_bytes(part.read_bytes() + b'{"seq":1')
    (source,) = audited(journal).sources
    assert "cut off" in source.notes[0]


def test_a_journal_that_is_not_closed_is_mentioned(tmp_path: Path) -> None:
    journal = written(tmp_path / "j", list(produced(9)), format="jsonl", is_closed=False)
    (source,) = audited(journal).sources
    assert "not closed" in source.notes[0]


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("{", "no journal's manifest"),
        ('{"schema_version": 99}', "a journal of schema 99"),
        (None, f"There is no {MANIFEST}"),
    ],
)
def test_what_is_no_journal_is_refused(tmp_path: Path, manifest: str | None, said: str) -> None:
    journal = written(tmp_path / "j", list(produced(9)), format="jsonl")
    if manifest is None:
        (journal / MANIFEST).unlink()
    else:
        (journal / MANIFEST).write_text(manifest)
    assert said in audited(journal).bad[0].what


def test_the_end_of_an_open_transaction_is_unknown(tmp_path: Path) -> None:
    entries = [
        entry._replace(is_transactional=True, transactional_id="mine")
        for entry in produced(3, partitions=1)
    ]
    begun = entries[0]._replace(
        seq=0, kind="transaction", state_before="Empty", state_after="Ongoing", api=None
    )
    result = audited(written(tmp_path / "j", [begun, *entries], format="jsonl"))
    assert result.exit_code() is ExitCode.BROKEN_INPUT
    assert "in the middle of 1 transaction" in result.bad[0].what


def test_the_results_without_pyarrow_have_no_table(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockbroker.spark.report.results.find_spec", Mock(return_value=None))
    out = tmp_path / "out"
    out.mkdir()
    audit(AuditRequest(sources=[str(journal)], out=out), Progress(io.StringIO()))
    assert sorted(each.name for each in out.iterdir()) == ["report.html", "verdict.json"]
    assert json.loads((out / "verdict.json").read_text("utf-8"))["verdict"] == "findings"


@pytest.mark.slow
@pytest.mark.parametrize(("options", "is_drawn"), [((), True), (("--json",), False)])
def test_an_audit_has_a_progress_bar_on_a_terminal(
    tmp_path: Path, options: tuple[str, ...], *, is_drawn: bool
) -> None:
    journal = written(tmp_path / "j", list(produced(60)), format="jsonl")
    shown = on_a_terminal("audit", journal, *options)
    assert ("100%" in shown) == is_drawn
    assert ("MB/s" in shown) == is_drawn
