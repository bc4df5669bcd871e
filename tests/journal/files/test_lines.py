"""Entries as text that a person reads."""

from mockbroker.journal.entry import Entry
from mockbroker.journal.files.lines import journal_lines
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

AT_MS = 1_795_328_142_408
CALL = Entry(
    7, "request", 0, AT_MS, call=3, broker=1, connection=2, client_id="me",
    api=ApiKey.PRODUCE, version=10, topic="orders", partition=0, transactional_id="svc",
    producer_id=1000, producer_epoch=2, base_sequence=5, record_count=3,
)  # fmt: skip


def test_a_request_names_its_client_and_then_its_contents() -> None:
    (line,) = journal_lines([CALL])
    assert line == (
        "#7 06:15:42.408 request      Produce v10 call 3 (connection 2 me to broker 1) orders-0, "
        "transaction svc, producer 1000 epoch 2, sequence 5, 3 records"
    )


def test_times_have_a_date_if_the_entries_are_of_several_days() -> None:
    later = CALL._replace(virtual_time_ms=AT_MS + 86_400_000)
    first, second = journal_lines([CALL, later])
    assert first.startswith("#7 2026-11-22 06:15:42.408 request")
    assert second.startswith("#7 2026-11-23 06:15:42.408 request")
    assert journal_lines([CALL], has_dates=True) == [first]


def test_the_outcome_of_a_request_is_at_the_end_of_its_line() -> None:
    struck = CALL._replace(
        kind="answer", base_offset=9, error=ErrorCode.NONE, rule="rule-1", effect="delay(5)",
        applied="before", record_count=1, detail='{"throttle_time_ms":7}',
    )  # fmt: skip
    (line,) = journal_lines([struck])
    assert line.endswith(
        "sequence 5, 1 record at 9 -> NONE [by rule-1, delay(5), applied before] throttle_time_ms=7"
    )


def test_retries_markers_and_transitions_are_written_in_kafkas_terms() -> None:
    retry = CALL._replace(kind="append", is_duplicate=True, base_offset=0)
    marker = Entry(8, "marker", 0, AT_MS, broker=1, topic="t", partition=2, marker="ABORT")
    moved = Entry(9, "group", 0, AT_MS, group="g", state_before="Empty", state_after="Stable")
    gone = Entry(9, "transaction", 0, AT_MS, transactional_id="svc", state_before="Empty")
    lines = journal_lines([retry, marker, moved, gone])
    assert lines[0].endswith("3 records at 0 DUPLICATE")
    assert lines[1:] == [
        "#8 06:15:42.408 marker       broker 1 t-2, ABORT",
        "#9 06:15:42.408 group        group g Empty -> Stable",
        "#9 06:15:42.408 transaction  transaction svc Empty -> gone",
    ]


def test_a_long_detail_is_cut() -> None:
    (line,) = journal_lines([Entry(1, "event", 0, AT_MS, detail=f'{{"text":"{"x" * 500}"}}')])
    assert line.endswith("x…")
    assert len(line) < 200
