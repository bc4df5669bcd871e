"""Calls that become one run."""

import pytest

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.run_table import runs_of, runs_of_rows
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.parquet_tables import table_of
from mockbroker.protocol.errors import ErrorCode
from tests.support.audit_script import Script


def runs(entries: list[Entry]) -> list[Run]:
    return runs_of(runs_of_rows(table_of(entries, [])))


def test_an_acknowledged_batch_is_one_run() -> None:
    script = Script()
    script.produce()
    (run,) = runs(script.entries)
    assert (run.kind, run.came_seq, run.seq, run.answered_seq) == ("append", 1, 2, 3)
    assert run.came_ms == script.entries[0].virtual_time_ms


@pytest.mark.parametrize("columns", [{"error": ErrorCode.REQUEST_TIMED_OUT}, {"acks": 0}])
def test_a_batch_without_a_good_response_stays_what_it_is(columns: dict[str, object]) -> None:
    script = Script()
    script.produce(**columns)  # type: ignore[arg-type]
    assert [run.kind for run in runs(script.entries)] == [e.kind for e in script.entries]


def test_a_call_in_which_a_row_is_missing_stays_what_it_is() -> None:
    script = Script()
    script.produce()
    request, append, answer = script.entries
    later = [request, append._replace(seq=3), answer._replace(seq=4)]
    assert len(runs(later)) == 3, "a row of another table may be of the call"
    between = append._replace(seq=2, call=99, base_offset=5, last_offset=5)
    assert [run.seq for run in runs([later[0], between, *later[1:]])] == [2, 3]


def test_a_call_to_a_topic_that_is_deleted_stays_what_it_is() -> None:
    script = Script()
    script.produce()
    script.row("topic_deleted", topic="t")
    assert len(runs(script.entries)) == 4


def test_a_batch_that_was_appended_twice_stays_what_it_is() -> None:
    script = Script()
    script.produce()
    request, append, answer = script.entries
    again = append._replace(seq=3, base_offset=1, last_offset=1)
    assert len(runs([request, append, again, answer._replace(seq=4)])) == 4
