"""Entries as Parquet, and back."""

import sys
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="Parquet needs the extra spark")

from mockbroker.broker.call import ANONYMOUS
from mockbroker.events.event_types import BatchProduced, ClusterEvent, Sender
from mockbroker.journal.entry import COLUMNS, Entry
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.files import parquet
from mockbroker.journal.files.folder import create_journal, parquet_backend, read_journal
from mockbroker.journal.files.manifest import Manifest, parts_of
from mockbroker.journal.files.parquet import ParquetParts, read_parquet
from mockbroker.journal.recorded import Recorded
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.events import LogPosition
from tests.support.faults import VERSION, Plan, produce_to
from tests.support.in_process import frame_of, sized
from tests.support.journals import Notes
from tests.support.requests import fetch, produce

pytestmark = pytest.mark.slow

ABOUT = Manifest(format="parquet", cluster_id="abc", kafka="4.4", seed=7)
FULL = Entry(
    1, "answer", 2, 3, api=ApiKey.INIT_PRODUCER_ID, client_id="ä", is_duplicate=False,
    error=ErrorCode.NOT_COORDINATOR, producer_id=1 << 62, detail='{"a":1}',
)  # fmt: skip


def recorded_of(event: BatchProduced | ClusterEvent, seq: int) -> Recorded:
    return Recorded(seq, 1_111 + seq, 2_222, None, None, event)


def a_batch(*, acks: int = -1, producer_id: int = 4_000, stable: int = 103) -> BatchProduced:
    sender = Sender(1, 2, "me", 9, acks, None, "orders", ANONYMOUS)
    log = LogPosition("orders", 0, 2, 4, 5, stable, 103, 103)
    first = 20 if producer_id >= 0 else -1
    fields = (0, 99, -1, 2, 4_294_967_295, 0, 2, 0, 0, producer_id, 1, first, 3)
    return BatchProduced(9, 500, sender, fields, 100, log)


TRANSACTIONAL = BatchProduced(
    3, 8, Sender(1, 2, None, 9, 1, "svc", "payments", ANONYMOUS),
    (0, 99, -1, 2, 77, 0x10, 4, 0, 0, 4_000, 1, 20, 5), 40,
    LogPosition("payments", 1, 1, 4, 0, 40, 45, 45),
)  # fmt: skip


def test_produced_batches_are_the_rows_of_their_entries_in_order(tmp_path: Path) -> None:
    events = (
        a_batch(),
        ClusterEvent("tea", {"topic": "orders"}),
        a_batch(acks=0),
        TRANSACTIONAL,
        a_batch(producer_id=-1, stable=50),
        ClusterEvent("milk", {}),
    )
    expansion = Expansion({})
    parts = ParquetParts(tmp_path, ABOUT)
    expected: list[Entry] = []
    for event in events:
        recorded = recorded_of(event, len({each.seq for each in expected}) + 1)
        parts.write(recorded, expansion)
        expected += expansion.entries(recorded)
    parts.close()
    assert list(read_parquet(tmp_path)) == expected
    assert len(expected) == 3 + 1 + 2 + 3 + 3 + 1


def test_a_part_with_acks_0_requests_only_is_written(tmp_path: Path) -> None:
    parts = ParquetParts(tmp_path, ABOUT)
    parts.write(recorded_of(a_batch(acks=0), 1), Expansion({}))
    parts.close()
    assert [entry.kind for entry in read_parquet(tmp_path)] == ["request", "append"]


def test_the_rows_of_one_entry_stay_in_their_order(tmp_path: Path) -> None:
    plan = Plan()
    notes = Notes(plan.brokers)
    peer = plan.brokers.connect()
    for number in range(4):
        peer.feed(sized(frame_of(produce_to(1, 0, 7), VERSION, number)))
        peer.feed(sized(frame_of(produce("orders", 1), VERSION, number)) * 2)
        peer.feed(sized(frame_of(fetch("orders", 1), 12, number)))
    parts = ParquetParts(tmp_path, ABOUT)
    for recorded in notes.recorded():
        parts.write(recorded, notes.expansion)
    parts.close()
    assert plan.brokers.fast_answers
    assert list(read_parquet(tmp_path)) == notes.entries()


def test_the_columns_are_those_that_are_declared(tmp_path: Path) -> None:
    pq: Any = import_module("pyarrow.parquet")
    parts = create_journal(tmp_path / "new", ABOUT)
    parts.write_entries([FULL])
    parts.close()
    (path,) = parts_of(tmp_path / "new", "parquet")
    names = {"bool": "bool"} | {f"int{bits}": f"int{bits}" for bits in (16, 32, 64)}
    found = {field.name: str(field.type) for field in pq.read_schema(path)}
    assert found == {each.name: names.get(each.kind, each.kind) for each in COLUMNS}
    assert list(read_journal(tmp_path / "new")) == [FULL]
    manifest = Manifest.read(tmp_path / "new")
    assert (manifest.is_closed, manifest.row_count) == (True, 1)


def test_a_file_is_readable_only_when_it_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROWS_A_PART", 3)
    parts = ParquetParts(tmp_path, ABOUT)
    parts.write_entries([FULL, FULL._replace(seq=2)])
    parts.flush()
    assert list(read_parquet(tmp_path)) == []
    parts.write_entries([FULL._replace(seq=3)])
    parts.write_entries([FULL._replace(seq=4)])
    assert [entry.seq for entry in read_parquet(tmp_path)] == [1, 2, 3]
    monkeypatch.setattr(parquet, "PART_S", -1.0)
    parts.flush()
    assert [entry.seq for entry in read_parquet(tmp_path)] == [1, 2, 3, 4]
    assert len(parts_of(tmp_path, "parquet")) == 2


def test_a_file_that_lacks_a_newer_column_is_read(tmp_path: Path) -> None:
    pq: Any = import_module("pyarrow.parquet")
    parts = ParquetParts(tmp_path, ABOUT)
    parts.write(recorded_of(a_batch(), 1), Expansion({}))
    parts.close()
    expected = [each._replace(crc=None) for each in read_parquet(tmp_path)]
    (path,) = parts_of(tmp_path, "parquet")
    pq.write_table(pq.ParquetFile(path).read().drop_columns(["crc"]), path)
    assert list(read_parquet(tmp_path)) == expected


def test_without_the_extra_the_error_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match="pip install 'pyspark"):
        parquet_backend()
    with pytest.raises(ImportError, match="pyarrow"):
        create_journal(tmp_path / "new", ABOUT)
    assert not (tmp_path / "new").exists()


def test_a_usual_load_takes_little_space(tmp_path: Path) -> None:
    parts = ParquetParts(tmp_path, ABOUT)
    seq, offset, chance = 1, 0, Random(7)
    for number in range(20_000):
        count = chance.randint(1, 64)
        end = offset + count
        log = LogPosition("orders", number % 4, 1, 0, 0, end, end, end)
        sender = Sender(1, number % 8, "rdkafka", 10, -1, None, "orders", ANONYMOUS)
        crc = chance.getrandbits(32)
        fields = (0, 99, -1, 2, crc, 0, count - 1, 0, 0, number % 8, 0, offset, count)
        batch = BatchProduced(number + 1, number, sender, fields, offset, log)
        parts.write(recorded_of(batch, seq), Expansion({}))
        seq, offset = seq + 3, end
    parts.close()
    size_bytes = sum(path.stat().st_size for path in parts_of(tmp_path, "parquet"))
    assert size_bytes / seq < 24
