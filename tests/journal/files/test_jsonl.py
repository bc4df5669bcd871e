"""Entries as lines of JSON, and back."""

import json
from pathlib import Path

import pytest

from mockbroker.broker.call import ANONYMOUS
from mockbroker.events.event_types import BatchProduced, ClusterEvent, Sender
from mockbroker.journal.entry import Entry
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.files import jsonl
from mockbroker.journal.files.jsonl import (
    JsonlParts,
    entry_of,
    is_cut_off,
    line_of,
    read_jsonl,
    span_of,
)
from mockbroker.journal.files.manifest import Manifest, parts_of
from mockbroker.journal.recorded import Recorded
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.events import LogPosition

NAUGHTY = 'a%s "quoted" \\ ä\x01{}'
FULL = Entry(
    1, "answer", 2, 3, api=ApiKey.INIT_PRODUCER_ID, client_id=NAUGHTY, is_duplicate=False,
    error=ErrorCode.NOT_COORDINATOR, producer_id=1 << 62, detail='{"a":1}',
)  # fmt: skip
ABOUT = Manifest(format="jsonl", cluster_id="abc", kafka="4.4", seed=7)


PRODUCED = BatchProduced(
    9, 500, Sender(1, 2, NAUGHTY, 9, -1, None, "orders", ANONYMOUS),
    (0, 99, -1, 2, 4_294_967_295, 0, 0, 0, 0, 4_000, 1, 20, 1), 100,
    LogPosition("orders", 0, 1, 4, 0, 101, 101, 101),
)  # fmt: skip


def recorded_of(event: BatchProduced | ClusterEvent, seq: int = 1) -> Recorded:
    return Recorded(seq, 1_111, 2_222, None, None, event)


def test_an_entry_is_a_line_without_its_empty_columns() -> None:
    line = line_of(FULL)
    assert json.loads(line) == {
        "seq": 1,
        "kind": "answer",
        "wall_time_us": 2,
        "virtual_time_ms": 3,
        "client_id": NAUGHTY,
        "api": "InitProducerId",
        "producer_id": 1 << 62,
        "is_duplicate": False,
        "error": "NOT_COORDINATOR",
        "detail": '{"a":1}',
    }
    assert entry_of(line) == FULL


def test_a_column_of_a_later_version_is_left_out() -> None:
    assert entry_of('{"seq":1,"kind":"x","wall_time_us":2,"virtual_time_ms":3,"new":4}\n') == Entry(
        1, "x", 2, 3
    )


def test_parts_are_written_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "PART_BYTES", 1_000)
    expansion = Expansion({})
    ABOUT.create(tmp_path)
    parts = JsonlParts(tmp_path, ABOUT)
    parts.write(recorded_of(PRODUCED), expansion)
    parts.write(recorded_of(ClusterEvent("tea", {}), 4), expansion)
    parts.write_entries([FULL])
    parts.flush()
    expected = [
        *expansion.entries(recorded_of(PRODUCED)),
        *expansion.entries(recorded_of(ClusterEvent("tea", {}), 4)),
        FULL,
    ]
    assert len(parts_of(tmp_path, "jsonl")) == 2
    assert list(read_jsonl(tmp_path)) == expected
    assert not Manifest.read(tmp_path).is_closed
    parts.close()
    manifest = Manifest.read(tmp_path)
    assert (manifest.is_closed, manifest.row_count) == (True, len(expected))


def test_a_journal_ends_at_a_truncated_line(tmp_path: Path) -> None:
    parts = JsonlParts(tmp_path, ABOUT)
    parts.write_entries([FULL, FULL._replace(seq=2)])
    parts.flush()
    (path,) = parts_of(tmp_path, "jsonl")
    path.write_bytes(path.read_bytes()[:-5])
    assert list(read_jsonl(tmp_path)) == [FULL]
    parts.close()


def test_an_entry_is_cut_off_wherever_it_ends_too_early() -> None:
    full = FULL._replace(detail='{"a":{"b":"\x01ä"}}', is_transactional=True, base_offset=-1)
    line = line_of(full).decode()
    assert [end for end in range(1, len(line) - 1) if not is_cut_off(line[:end])] == []
    assert not is_cut_off(line)


@pytest.mark.parametrize("line", ["", "}{ rubbish", "{oops}", "[1", '{"seq":1}}', '{"a":1 2'])
def test_what_does_not_begin_as_an_entry_is_not_cut_off(line: str) -> None:
    assert not is_cut_off(line)


def test_the_span_of_a_part_ends_with_its_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "part-00001.jsonl"
    lines = [line_of(FULL._replace(seq=seq, record_ids="x" * 200_000)) for seq in (3, 4, 5)]
    path.write_bytes(b"".join(lines))
    assert span_of(path) == (3, 5)
    path.write_bytes(b"".join(lines)[:-5])
    assert span_of(path) == (3, 4)
    path.write_bytes(lines[0])
    assert span_of(path) == (3, 3)


def test_a_journal_without_entries_has_no_parts(tmp_path: Path) -> None:
    ABOUT.create(tmp_path)
    parts = JsonlParts(tmp_path, ABOUT)
    parts.flush()
    parts.close()
    assert list(read_jsonl(tmp_path)) == []


def test_an_abandoned_journal_stays_as_it_is(tmp_path: Path) -> None:
    ABOUT.create(tmp_path)
    parts = JsonlParts(tmp_path, ABOUT)
    parts.abandon()
    parts.write_entries([FULL])
    parts.abandon()
    assert list(read_jsonl(tmp_path)) == [FULL]
    assert not Manifest.read(tmp_path).is_closed
