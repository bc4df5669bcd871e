"""The manifest of a load's ledger."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from mockbroker.spark.load.load_ledger import (
    MANIFEST,
    SENT_COLUMNS,
    VISIBLE_COLUMNS,
    LedgerError,
    LedgerManifest,
    LoadCounts,
    SentRow,
    VisibleRecord,
)

ABOUT = LedgerManifest(
    seed=7,
    plan="clean",
    delivery="plain",
    expected=["DUPLICATE_PAYLOAD"],
    topic="orders",
    partitions=2,
    tasks=3,
    records=10,
    clients=["confluent"],
    started_us=5,
)


def test_the_columns_are_those_of_the_values() -> None:
    assert [column.name for column in SENT_COLUMNS] == [each.name for each in fields(SentRow)]
    assert tuple(column.name for column in VISIBLE_COLUMNS) == VisibleRecord._fields


def test_a_closed_manifest_is_read_back(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "ledger"
    ABOUT.create(folder)
    assert LedgerManifest.read(folder) == ABOUT
    assert not LedgerManifest.read(folder).is_closed

    counts = LoadCounts(records=30, sent=31, acked=31)
    closed = ABOUT.close(folder, counts, ended_us=9, waiting={("orders", 1): 4})
    assert closed.waiting == {"1": 4}
    assert LedgerManifest.read(folder) == closed
    assert (closed.is_closed, closed.ended_us, closed.counts.sent) == (True, 9, 31)


def test_a_ledger_needs_a_folder_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(FileExistsError, match="a ledger needs a new folder"):
        ABOUT.create(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_folder_without_a_ledger_is_named(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="is not the ledger of a load: it has no ledger"):
        LedgerManifest.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ('{"schema_version": 99}', "a ledger of schema 99"),
        ('{"schema_version": 1}', "does not have the expected fields"),
    ],
)
def test_an_unreadable_ledger_is_reported_in_one_line(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(LedgerError, match=why) as failure:
        LedgerManifest.read(tmp_path)
    assert "\n" not in str(failure.value)


def test_unknown_counts_are_refused(tmp_path: Path) -> None:
    ABOUT.create(tmp_path / "ledger")
    path = tmp_path / "ledger" / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | {"counts": {"lost": 1}}))
    with pytest.raises(LedgerError, match="lost"):
        LedgerManifest.read(path.parent)
