"""The journal of a running cluster, written by real clients."""

import asyncio
import json
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from confluent_kafka import Producer

from mockbroker import API, ERR, Cluster, JournalOptions
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.folder import read_journal
from mockbroker.journal.files.manifest import Manifest
from mockbroker.settings.settings import Given, resolve_settings
from mockbroker.wire import WireProducer

TRANSACTIONAL = {"transactional.id": "orders-svc", "linger.ms": 0}


def write(cluster: Cluster, *values: bytes) -> None:
    producer = Producer(cluster.client_config("confluent", **{"linger.ms": 0}))
    for value in values:
        producer.produce("orders", value, partition=0)
        producer.flush(30)


@pytest.mark.slow
def test_a_transaction_with_faults_and_elections_is_recorded(tmp_path: Path) -> None:
    with Cluster(
        brokers=2, topics={"orders": 1}, kafka="3.9", journal=tmp_path / "journal"
    ) as cluster:
        lost = cluster.fault(API.PRODUCE, topic="orders", name="lost").lose_response().once()
        held = cluster.fault(API.END_TXN, name="held").hold("20ms").once()
        producer = Producer(cluster.client_config("confluent", **TRANSACTIONAL))
        producer.init_transactions(30)
        producer.begin_transaction()
        producer.produce("orders", b"order-1", partition=0)
        producer.flush(30)
        producer.commit_transaction(30)
        lost.remove()
        held.remove()
        cluster.clock.advance("1h")
        cluster.move_coordinator("orders-svc")
        journal = cluster.journal
        assert journal.count(API.PRODUCE, topic="orders") == 2
        assert journal.count(API.PRODUCE, topic="payments") == 0
        assert journal.count(kind="append", topic="orders", is_duplicate=True) == 1
        told = journal.last(API.PRODUCE, kind="lost")
        assert told is not None
        assert (told.rule, told.applied, told.transactional_id) == ("lost", "before", "orders-svc")
        (end,) = journal.find(API.END_TXN, kind="answer")
        assert (end.rule, end.applied, end.marker) == ("held", "after", "COMMIT")
        steps = [each.state_after for each in journal.find(kind="transaction")]
        assert steps == ["Empty", "Ongoing", "PrepareCommit", "CompleteCommit"]
        assert journal.errors(API.PRODUCE) == set()
        kinds = {each.kind for each in journal}
    assert kinds >= {
        *("request", "answer", "lost", "append", "marker", "transaction", "leader"),
        *("topic_created", "connected", "disconnected", "hang_up", "clock"),
        *("fault_made", "fault_struck", "held", "released", "fault_removed"),
    }
    assert list(read_journal(tmp_path / "journal")) == list(cluster.journal)
    assert Manifest.read(tmp_path / "journal").is_closed


def test_every_entry_has_its_times() -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        write(cluster, b"before")
        cluster.clock.advance("7d")
        write(cluster, b"after")
        # The end of the first connection may be noticed while the clock advances.
        journal = [each for each in cluster.journal if each.kind != "disconnected"]
    clock = next(index for index, each in enumerate(journal) if each.kind == "clock")
    ahead_ms = [each.virtual_time_ms - each.wall_time_us // 1_000 for each in journal]
    assert all(abs(each) < 60_000 for each in ahead_ms[:clock])
    assert all(abs(each - 7 * 86_400_000) < 60_000 for each in ahead_ms[clock:])
    assert [each.seq for each in journal] == sorted(each.seq for each in journal)


def test_errors_are_found_by_the_code_that_was_sent() -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        cluster.fault(API.PRODUCE, topic="orders").answer(ERR.NOT_LEADER_OR_FOLLOWER).once()
        write(cluster, b"value")
        journal = cluster.journal
        assert journal.errors(API.PRODUCE) == {ERR.NOT_LEADER_OR_FOLLOWER}
        last = journal.last(error=ERR.NOT_LEADER_OR_FOLLOWER)
        assert last is not None
        assert (last.api, last.topic, last.applied) == (API.PRODUCE, "orders", "never")
        assert journal.last(error=ERR.INVALID_TXN_STATE) is None
        assert len(journal.find(API.PRODUCE, kind="answer", when=lambda e: not e.error)) == 1


def test_a_journal_is_off_by_default() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        assert not cluster.journal.is_on
        for read in (cluster.journal.count, cluster.journal.entries, cluster.journal.clear):
            with pytest.raises(RuntimeError, match="journal is off"):
                read()
        with pytest.raises(RuntimeError, match="journal is off"):
            cluster.journal.subscribe(print)
        write(cluster, b"1")
        cluster.journal.start()
        with pytest.raises(RuntimeError, match="already on"):
            cluster.journal.start()
        write(cluster, b"2")
        cluster.journal.stop()
        write(cluster, b"3")
        assert cluster.journal.count(API.PRODUCE) == 1
        cluster.journal.start()
        assert cluster.journal.count(API.PRODUCE) == 0


def test_a_journal_cannot_be_read_before_the_start() -> None:
    with pytest.raises(RuntimeError, match="not running"):
        _ = Cluster(journal=True).journal


def test_counts_are_refused_after_entries_were_dropped() -> None:
    with (
        Cluster(topics={"orders": 1}, journal=JournalOptions(entries_max=4)) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        for _ in range(2):
            producer.produce("orders", b"1", base_sequence=-1)
        journal = cluster.journal
        assert len(journal) <= 4
        assert journal.dropped > 0
        assert journal.last(kind="answer") is not None
        with pytest.raises(RuntimeError, match=f"{journal.dropped} entries .* were dropped"):
            journal.count(API.PRODUCE)
        with pytest.raises(RuntimeError, match="entries_max"):
            journal.errors()
        journal.clear()
        assert (len(journal), journal.dropped, bool(journal)) == (0, 0, True)
        assert journal.count(API.PRODUCE) == 0


def test_the_last_rows_are_the_newest() -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        write(cluster, b"1", b"2")
    journal = cluster.journal
    assert journal.entries(last=5) == journal.entries()[-5:]
    assert journal.entries(last=0) == []
    assert [line.split()[0] for line in journal.lines(last=2)] == [
        f"#{entry.seq}" for entry in journal.entries(last=2)
    ]
    assert len(journal.entries(last=10_000)) == len(journal.entries())


def test_an_exported_journal_tells_what_memory_has_dropped_before(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 1}, journal=JournalOptions(entries_max=4)) as cluster:
        for _ in range(5):
            cluster.append("orders", "a")
        dropped = cluster.journal.dropped
        cluster.journal.export(tmp_path / "journal")
    assert Manifest.read(tmp_path / "journal").dropped_count == dropped > 0


def test_a_journal_is_exported_whole(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        write(cluster, b"1", b"2")
        rows = cluster.journal.export(tmp_path / "running")
        assert rows == len(list(read_journal(tmp_path / "running")))
    cluster.journal.export(tmp_path / "stopped")
    assert list(read_journal(tmp_path / "stopped")) == list(cluster.journal)
    manifest = Manifest.read(tmp_path / "stopped")
    assert (manifest.kafka, manifest.is_closed) == ("4.4", True)


def test_a_subscriber_is_called_on_the_clusters_loop_until_it_unsubscribes() -> None:
    seen: list[Entry] = []
    threads: set[str] = set()

    def take(entries: Sequence[Entry]) -> None:
        seen.extend(entries)
        threads.add(threading.current_thread().name)

    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        stop = cluster.journal.subscribe(take)
        write(cluster, b"1")
        assert cluster.journal.count(API.PRODUCE) == 1
        stop()
        before = len(seen)
        write(cluster, b"2")
        assert cluster.journal.count(API.PRODUCE) == 2
        assert len(seen) == before
        assert seen == [each for each in cluster.journal if each.seq <= seen[-1].seq]
    assert threads != {threading.current_thread().name}


def test_a_cluster_does_not_start_with_a_journal_folder_that_is_in_use(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    before = threading.active_count()
    with pytest.raises(FileExistsError, match="not empty"), Cluster(journal=tmp_path):
        raise AssertionError("it has started")
    assert threading.active_count() == before


def test_the_fixtures_journal_is_on(mockbroker: Cluster) -> None:
    assert mockbroker.journal.is_on
    assert mockbroker.journal.count() == 0


@pytest.mark.asyncio
async def test_a_reset_empties_the_journal_and_continues_its_numbers() -> None:
    settings = resolve_settings(Given(topics=["orders:1"], port=0))
    running = RunningCluster(settings, asyncio.get_running_loop(), journal=JournalOptions())
    await running.start()
    try:
        running.service.note("tea")
        (before,) = running.journal.entries()
        ended_ms = running.service.clock.now_ms()
        running.reset()
        running.service.note("milk")
        reset, after = running.journal.entries(last=2)
        told = json.loads(reset.detail or "")
        assert told["event"] == "reset"
        assert told["ended_ms"] >= ended_ms
        assert after.detail == '{"event":"milk"}'
        assert before.seq < reset.seq < after.seq
        assert before not in running.journal.entries()
    finally:
        await running.stop()
