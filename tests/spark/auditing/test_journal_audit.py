"""Journals of which something is broken: it is named, and the rest judged where that is sound."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="an audit with Spark needs the extra spark")

from mockbroker.journal.entry import Entry
from mockbroker.journal.options import JournalFormat
from mockbroker.report.bad_input import BadInputError
from mockbroker.spark.auditing.journal_audit import audit_journal
from mockbroker.spark.auditing.source_audit import SourceAudit
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.report.progress import Progress
from tests.support.audit_script import Script
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import produced, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS

ENTRIES = list(produced(30))


def in_the_middle_of(*partitions: int) -> list[Entry]:
    """A transaction that was committed, and one behind it that was not, with a gap in a third."""
    script = Script()
    script.transaction(*partitions)
    script.begin(*partitions, before="CompleteCommit")
    for partition in partitions:
        script.write(partition)
    script.produce(7, producer_id=55, base_sequence=0)
    script.produce(7, producer_id=55, base_sequence=5)
    return script.entries


@pytest.fixture
def session(mockbroker_spark: "SparkSession") -> CommandSession:
    return CommandSession(mockbroker_spark, is_connect=False)


def audited(session: CommandSession, path: Path) -> SourceAudit:
    return audit_journal(session, str(path), Progress())


def truncate(part: Path) -> None:
    part.write_bytes(part.read_bytes()[:-100])


def test_a_sound_journal_has_no_remarks(session: CommandSession, tmp_path: Path) -> None:
    done = audited(session, written(tmp_path / "j", ENTRIES, parts=3))
    assert (done.bad, done.verdict.notes, done.verdict.verdict.findings) == ((), (), ())
    assert done.verdict.verdict.counts.appends == 30


def test_a_truncated_part_is_named_and_costs_no_more_than_itself(
    session: CommandSession, tmp_path: Path
) -> None:
    path = written(tmp_path / "j", ENTRIES, parts=3)
    truncate(path / "part-00002.parquet")
    done = audited(session, path)
    (bad,) = done.bad
    assert bad.where == f"file:{path}/part-00002.parquet"
    assert "It cannot be read (Parquet magic bytes not found in footer." in bad.what
    assert "the parts before and after it are judged separately" in bad.what
    assert done.verdict.verdict.counts.appends == 20
    assert done.verdict.verdict.findings == ()
    assert "in 2 pieces" in done.verdict.notes[0]


def test_a_missing_part_makes_no_gap(session: CommandSession, tmp_path: Path) -> None:
    path = written(tmp_path / "j", ENTRIES, parts=3)
    (path / "part-00002.parquet").unlink()
    done = audited(session, path)
    assert "part-00002.parquet is missing" in str(done.bad[0])
    assert done.verdict.verdict.counts.appends == 20
    assert done.verdict.verdict.findings == ()


def drop_rows(part: Path, count: int) -> None:
    if part.suffix == ".parquet":
        pq = pytest.importorskip("pyarrow.parquet")
        table = pq.ParquetFile(part).read().sort_by("seq")
        pq.write_table(table.slice(0, table.num_rows - count), part)
    else:
        part.write_bytes(b"".join(part.read_bytes().splitlines(keepends=True)[:-count]))


@pytest.mark.parametrize("format_", ["parquet", "jsonl"])
def test_a_part_that_ends_too_early_makes_no_gap(
    session: CommandSession, tmp_path: Path, format_: JournalFormat
) -> None:
    path = written(tmp_path / "j", ENTRIES, parts=3, format=format_)
    drop_rows(path / f"part-00002.{format_}", 6)
    done = audited(session, path)
    (bad,) = done.bad
    assert bad.what.startswith("The entries 55 to 60 are missing, between part-00002.")
    assert done.verdict.verdict.findings == ()
    assert "in 2 pieces" in done.verdict.notes[0]


@pytest.mark.parametrize("format_", ["parquet", "jsonl"])
def test_a_last_part_that_ends_too_early_is_noticed(
    session: CommandSession, tmp_path: Path, format_: JournalFormat
) -> None:
    path = written(tmp_path / "j", ENTRIES, parts=3, format=format_)
    drop_rows(path / f"part-00003.{format_}", 6)
    (bad,) = audited(session, path).bad
    assert bad.what == "6 of its 90 rows are missing, at its end or in a part."


def test_a_journal_without_a_readable_part_is_not_judged(
    session: CommandSession, tmp_path: Path
) -> None:
    path = written(tmp_path / "j", ENTRIES)
    truncate(path / "part-00001.parquet")
    with pytest.raises(BadInputError, match="no other part can be judged"):
        audited(session, path)


def test_a_journal_of_unordered_files_is_not_judged_if_one_is_broken(
    session: CommandSession, tmp_path: Path
) -> None:
    path = written(tmp_path / "j", ENTRIES, parts=2)
    for number, part in enumerate(sorted(path.glob("part-*"))):
        part.rename(path / f"of-somebody-{number}.parquet")
    assert audited(session, path).verdict.verdict.counts.appends == 30
    truncate(path / "of-somebody-1.parquet")
    with pytest.raises(BadInputError, match="its rows could be missing anywhere"):
        audited(session, path)


def test_a_parquet_file_of_something_else_is_named(session: CommandSession, tmp_path: Path) -> None:
    path = written(tmp_path / "j", ENTRIES, parts=2)
    session.spark.range(5).write.parquet(str(tmp_path / "other"))
    (other,) = list((tmp_path / "other").glob("*00000-*.parquet"))
    shutil.copy(other, path / "part-00003.parquet")
    done = audited(session, path)
    assert "(its rows are not entries of a journal)" in done.bad[0].what
    assert done.bad[0].where.endswith("part-00003.parquet")
    assert done.verdict.verdict.counts.appends == 30


def test_a_last_line_that_is_cut_off_does_not_count(
    session: CommandSession, tmp_path: Path
) -> None:
    path = written(tmp_path / "j", ENTRIES, format="jsonl", parts=2, is_closed=False)
    part = path / "part-00002.jsonl"
    part.write_bytes(part.read_bytes()[:-20])
    done = audited(session, path)
    assert done.bad == ()
    not_closed, cut_off = done.verdict.notes
    assert not_closed.startswith("The journal is not closed: it is still being written, or its")
    assert cut_off == "Its last line is cut off, as a killed process leaves it: it does not count."
    assert done.verdict.verdict.counts.appends == 30


def test_a_last_line_may_be_cut_off_after_a_brace(session: CommandSession, tmp_path: Path) -> None:
    path = written(tmp_path / "j", ENTRIES, format="jsonl", parts=2, is_closed=False)
    with (path / "part-00002.jsonl").open("a") as part:
        part.write('{"seq":91,"kind":"event","detail":"{}')
    done = audited(session, path)
    assert done.bad == ()
    assert "cut off" in done.verdict.notes[1]
    assert done.verdict.verdict.counts.appends == 30


def test_a_line_in_the_middle_that_is_no_entry_breaks_its_part(
    session: CommandSession, tmp_path: Path
) -> None:
    path = written(tmp_path / "j", ENTRIES, format="jsonl", parts=3)
    part = path / "part-00002.jsonl"
    lines = part.read_text().splitlines()
    part.write_text("\n".join([*lines[:4], "}{ rubbish", *lines[5:]]) + "\n")
    done = audited(session, path)
    assert "1 of its rows are not entries of a journal, the first: '}{ rubbish'" in done.bad[0].what
    assert done.verdict.verdict.counts.appends == 20


@pytest.mark.parametrize("is_closed", [True, False])
@pytest.mark.parametrize("format_", ["parquet", "jsonl"])
def test_a_journal_that_ends_in_a_transaction_names_its_producer(
    session: CommandSession, tmp_path: Path, format_: JournalFormat, is_closed: bool
) -> None:
    entries = in_the_middle_of(0, 1)
    done = audited(session, written(tmp_path / "j", entries, format=format_, is_closed=is_closed))
    (bad,) = done.bad
    assert bad.what == (
        "It ends in the middle of 1 transaction: tx (Ongoing, producer 9). "
        "Everything else is judged."
    )
    assert "commit, abort or time out" in bad.advice
    assert [each.rule for each in done.verdict.verdict.findings] == ["SEQUENCE_GAP"]
