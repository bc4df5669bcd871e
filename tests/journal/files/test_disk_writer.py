"""Recorded events are written by a thread, in order, without losses."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mockbroker.events.event_types import ClusterEvent
from mockbroker.journal.entry import Entry
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.files import disk_writer
from mockbroker.journal.files.disk_writer import DiskWriter
from mockbroker.journal.files.manifest import Manifest
from mockbroker.journal.recorded import Recorded
from tests.support.logged import Logged
from tests.support.virtual_loop import VirtualLoop

ABOUT = Manifest(format="jsonl", cluster_id="c", kafka="4.4", seed=0)


def recorded(seq: int) -> Recorded:
    return Recorded(seq, 0, 0, None, None, ClusterEvent("tea", {}))


class FakeParts:
    """Files that remember, and may be full."""

    def __init__(self, room: int = 1_000_000) -> None:
        self.room = room
        self.seqs: list[int] = []
        self.threads: set[str] = set()
        self.flushed = threading.Event()
        self.is_closed = False
        self.abandoned = threading.Event()
        self.may_write = threading.Event()
        self.may_write.set()

    def write(self, recorded: Recorded, expansion: Expansion) -> None:
        assert self.may_write.wait(5)
        if len(self.seqs) >= self.room:
            raise OSError(28, "no space left")
        self.seqs.append(recorded.seq)
        self.threads.add(threading.current_thread().name)

    def write_entries(self, entries: list[Entry]) -> None:
        raise AssertionError(entries)

    def flush(self) -> None:
        self.flushed.set()

    def close(self) -> None:
        self.is_closed = True

    def abandon(self) -> None:
        self.abandoned.set()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "journal"
    ABOUT.create(folder)
    return folder


@pytest.fixture
def loop() -> VirtualLoop:
    return VirtualLoop()


def test_all_entries_are_written_by_the_thread_in_order(folder: Path, loop: VirtualLoop) -> None:
    parts = FakeParts()
    writer = DiskWriter(folder, parts, Expansion({}), loop.as_loop)
    for seq in range(1_000):
        writer.store(recorded(seq), 1)
    writer.close()
    assert parts.seqs == list(range(1_000))
    assert parts.threads == {"mockbroker-journal"}
    assert parts.is_closed
    assert loop.is_idle
    assert not any(each.name == "mockbroker-journal" for each in threading.enumerate())


def test_a_few_entries_are_handed_over_after_a_delay(folder: Path, loop: VirtualLoop) -> None:
    parts = FakeParts()
    writer = DiskWriter(folder, parts, Expansion({}), loop.as_loop)
    writer.store(recorded(1), 1)
    writer.store(recorded(2), 1)
    assert loop.timers == 1
    loop.advance(1)
    assert loop.timers == 0
    assert parts.flushed.wait(5)
    writer.close()
    assert parts.seqs == [1, 2]


def test_the_loop_waits_for_a_thread_that_is_far_behind(
    folder: Path, loop: VirtualLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_writer, "BATCH", 1)
    parts = FakeParts()
    parts.may_write.clear()
    writer = DiskWriter(folder, parts, Expansion({}), loop.as_loop)
    for seq in range(disk_writer.BATCHES_WAITING_MAX):
        writer.store(recorded(seq), 1)
    begun, done = threading.Event(), threading.Event()

    def two_more() -> None:
        begun.set()
        for seq in (100, 101):
            writer.store(recorded(seq), 1)
        done.set()

    threading.Thread(target=two_more).start()
    assert begun.wait(5)
    parts.may_write.set()
    assert done.wait(5)
    writer.close()
    assert parts.seqs == [*range(disk_writer.BATCHES_WAITING_MAX), 100, 101]


def test_a_full_disk_is_logged_once_and_raised_at_the_end(
    folder: Path, loop: VirtualLoop, logged: Logged
) -> None:
    parts = FakeParts(room=2)
    writer = DiskWriter(folder, parts, Expansion({}), loop.as_loop)
    for seq in range(2_000):
        writer.store(recorded(seq), 1)
    with pytest.raises(OSError, match="is incomplete: no space left; events from then on"):
        writer.close()
    assert parts.seqs == [0, 1]
    assert not parts.is_closed
    assert parts.abandoned.is_set()
    assert len(logged.named("journal_failed")) == 1


def test_a_failure_to_finish_a_journal_is_raised(
    folder: Path, loop: VirtualLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_parts: FakeParts) -> None:
        raise OSError("gone")

    monkeypatch.setattr(FakeParts, "close", fail)
    writer = DiskWriter(folder, FakeParts(), Expansion({}), loop.as_loop)
    with pytest.raises(OSError, match="is incomplete: gone"):
        writer.close()


def remove(folder: Path) -> None:
    shutil.rmtree(folder)


def replace(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    ABOUT.create(folder)


LOST = "was removed or replaced while the cluster ran"


@pytest.mark.parametrize("lose", [remove, replace])
def test_a_folder_that_is_lost_is_noticed_at_the_next_write(
    folder: Path, loop: VirtualLoop, logged: Logged, lose: Callable[[Path], None]
) -> None:
    parts = FakeParts()
    writer = DiskWriter(folder, parts, Expansion({}), loop.as_loop)
    writer.store(recorded(1), 1)
    loop.advance(1)
    assert parts.flushed.wait(5)
    lose(folder)
    writer.store(recorded(2), 1)
    loop.advance(1)
    assert parts.abandoned.wait(5)
    with pytest.raises(OSError, match=LOST) as lost:
        writer.close()
    assert str(folder) in str(lost.value)
    assert [each["why"] for each in logged.named("journal_failed")] == [str(lost.value)]
    assert parts.seqs == [1]


def test_a_folder_that_is_lost_is_noticed_at_the_end_at_the_latest(
    folder: Path, loop: VirtualLoop
) -> None:
    parts = FakeParts()
    writer = DiskWriter(folder, parts, Expansion({}), loop.as_loop)
    remove(folder)
    with pytest.raises(OSError, match=LOST):
        writer.close()
    assert not parts.is_closed
