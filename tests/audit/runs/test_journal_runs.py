from typing import Any

from mockbroker.audit.runs.journal_runs import journal_runs, run_of
from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode


def test_a_row_is_a_run_of_one_with_its_columns() -> None:
    run = run_of(
        Entry(
            7, "answer", 1_000_000, 1_000, api=ApiKey.PRODUCE, topic="a", partition=2,
            error=ErrorCode.NOT_LEADER_OR_FOLLOWER, producer_id=5, producer_epoch=1,
        )
    )  # fmt: skip
    assert (run.kind, run.seq, run.virtual_time_ms) == ("answer", 7, 1_000)
    assert (run.api, run.error) == ("Produce", "NOT_LEADER_OR_FOLLOWER")
    assert (run.producer_id, run.producer_epoch) == (5, 1)


def test_each_column_of_a_row_is_that_of_the_run() -> None:
    names = [name for name in Entry._fields if name not in {"api", "error"}]
    columns: dict[str, Any] = dict(zip(names, range(1, 100), strict=False))
    run = run_of(Entry(**columns, api=ApiKey.FETCH, error=ErrorCode.NONE))._asdict()
    of_others = ("came_seq", "came_ms", "answered_seq")
    assert [run.pop(name) for name in of_others] == [None] * 3
    assert (run.pop("api"), run.pop("error")) == ("Fetch", "NONE")
    assert run == {name: columns[name] for name in run}


def test_only_entries_that_a_rule_uses_become_runs() -> None:
    rows = [
        Entry(1, "connected", 0, 0),
        Entry(2, "request", 0, 0, api=ApiKey.METADATA),
        Entry(3, "request", 0, 0, api=ApiKey.FETCH, topic="a", partition=0),
        Entry(4, "append", 0, 0, api=ApiKey.PRODUCE, topic="a", partition=0),
        Entry(5, "answer", 0, 0, api=ApiKey.HEARTBEAT),
        Entry(6, "answer", 0, 0, api=ApiKey.END_TXN),
        Entry(7, "answer", 0, 0, api=ApiKey.FETCH, error=ErrorCode.NONE),
        Entry(8, "answer", 0, 0, api=ApiKey.FETCH, error=ErrorCode.NONE, last_offset=4),
        Entry(9, "answer", 0, 0, api=ApiKey.FETCH, error=ErrorCode.UNKNOWN_TOPIC_ID),
        Entry(10, "offset_committed", 0, 0, topic="a", partition=0),
    ]
    assert [run.seq for run in journal_runs(rows)] == [3, 4, 6, 8, 9, 10]
