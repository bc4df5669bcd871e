"""Cells of a timeline for rows of a journal."""

import pytest

from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.timeline.entry_cell import entry_cell, entry_kind, moment_column
from mockbroker.timeline.timeline import CellKind


def row(kind: str, **columns: object) -> Entry:
    return Entry(3, kind, 1_900_000_000_250_999, 1_900_000_600_000)._replace(**columns)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        (row("append"), CellKind.BATCH),
        (row("append", is_transactional=True), CellKind.TRANSACTIONAL),
        (row("append", is_duplicate=True, is_transactional=True), CellKind.RETRY),
        (row("marker", marker="COMMIT"), CellKind.COMMIT),
        (row("marker", marker="ABORT"), CellKind.ABORT),
        (row("truncation"), CellKind.REMOVED),
        (row("transaction"), CellKind.STATE),
        (row("request"), CellKind.REQUEST),
        (row("answer", error=ErrorCode.NONE), CellKind.REQUEST),
        (row("answer", error=ErrorCode.PRODUCER_FENCED), CellKind.ERROR),
        (row("lost"), CellKind.ERROR),
        (row("clock"), CellKind.EVENT),
    ],
)
def test_a_row_has_a_kind(entry: Entry, kind: CellKind) -> None:
    assert entry_kind(entry) is kind


def test_a_column_has_both_times_of_its_event() -> None:
    column = moment_column(row("clock"), is_evidence=True)
    assert column.title == "#3"
    assert (column.cluster_time_ms, column.wall_time_ms) == (1_900_000_600_000, 1_900_000_000_250)
    assert column.is_evidence


def test_a_response_shows_its_api_and_error() -> None:
    entry = row("answer", api=ApiKey.END_TXN, version=3, error=ErrorCode.PRODUCER_FENCED)
    cell = entry_cell(entry, 4, 1)
    assert (cell.first, cell.second, cell.start, cell.lane) == ("EndTxn", "PRODUCER_FENCED", 4, 1)
    assert cell.seq == 3


def test_batches_without_sequences_show_their_records() -> None:
    cell = entry_cell(row("append", record_count=2, base_sequence=-1, base_offset=-1), 0, 0)
    assert (cell.first, cell.second) == ("2 records", "at ? · epoch None")


def test_what_a_group_gets_and_commits_has_its_offsets() -> None:
    shown = [
        entry_cell(entry, 0, 0)
        for entry in (
            row("offset_committed", group="g", base_offset=5),
            row("offset_pending", group="g", base_offset=6),
            row("answer", api=ApiKey.FETCH, base_offset=3, last_offset=4, error=ErrorCode.NONE),
        )
    ]
    assert [(cell.first, cell.second) for cell in shown] == [
        ("committed 5", "by g"),
        ("pending 6", "by g"),
        ("Fetch", "@3–4"),
    ]
