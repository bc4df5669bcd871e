"""An attempt of a task follows its script, and records the results."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mockbroker import API, Cluster
from mockbroker.spark.auditing.visible_records import read_visible
from mockbroker.spark.load import load_attempt
from mockbroker.spark.load.load_attempt import LoadAttempt
from mockbroker.spark.load.load_ledger import SentRow
from mockbroker.spark.load.load_ledger_files import read_part
from mockbroker.spark.load.load_moments import make_rules
from mockbroker.spark.load.load_plan import Delivery
from mockbroker.spark.load.load_producer import (
    ClientName,
    LoadProducerError,
    ProducerSettings,
    SendResult,
    make_producer,
)
from mockbroker.spark.load.load_script import LoadRecord
from tests.support.loads import (
    SHAPE,
    WANTED,
    copies,
    do_tasks,
    options_for,
)

pytest.importorskip("pyarrow", reason="the ledger needs the extra spark")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("plan", ["clean", "retried-tasks", "dying-workers", "aborts", "zombies"])
def test_in_transactions_every_record_is_stored_once(plan: str, tmp_path: Path) -> None:
    with Cluster(topics={"orders": 2}, admin_port=0) as cluster:
        rows = do_tasks(options_for(cluster.bootstrap_servers, cluster.admin_url, tmp_path, plan))
        assert copies(cluster.bootstrap_servers) == WANTED
        committed = Counter(r.record_id for r in rows if r.transaction_outcome == "committed")
        assert committed == WANTED
        cluster.assert_exactly_once("orders")


@pytest.mark.parametrize("plan", ["retried-tasks", "dying-workers"])
@pytest.mark.parametrize("delivery", ["idempotent", "plain"])
def test_without_transactions_a_retry_sends_again(
    plan: str, delivery: Delivery, tmp_path: Path
) -> None:
    with Cluster(topics={"orders": 2}, admin_port=0) as cluster:
        rows = do_tasks(
            options_for(cluster.bootstrap_servers, cluster.admin_url, tmp_path, plan, delivery)
        )
        assert {row.attempt for row in rows} == {0, 1}
        seen = copies(cluster.bootstrap_servers)
        assert set(seen) == set(WANTED)
        assert seen == Counter(row.record_id for row in rows if row.outcome == "acked")
        assert len(rows) > len(WANTED)


def test_the_ledger_has_the_offsets_that_readers_find(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 2}, admin_port=0) as cluster:
        rows = do_tasks(
            options_for(cluster.bootstrap_servers, cluster.admin_url, tmp_path, "aborts")
        )
        found = set(read_visible(cluster.bootstrap_servers, "orders"))
        committed = {
            (row.topic, row.partition, row.offset, row.record_id)
            for row in rows
            if row.transaction_outcome == "committed"
        }
        assert committed == found
        aborted = [row for row in rows if row.transaction_outcome == "aborted"]
        assert {row.outcome for row in aborted} == {"acked"}
        assert {row.task for row in aborted} == {0, 1}


def test_a_zombie_is_refused_and_its_records_are_sent_by_its_successor(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 2}, admin_port=0) as cluster:
        rows = do_tasks(
            options_for(cluster.bootstrap_servers, cluster.admin_url, tmp_path, "zombies")
        )
    aborted = [row for row in rows if row.transaction_outcome == "aborted"]
    assert {"acked", "failed"} <= {row.outcome for row in aborted}
    assert {row.transaction_outcome for row in rows} == {"aborted", "committed"}
    assert all(row.transaction is not None for row in rows)


class Attentive:
    """A producer that learns at once that it was replaced, as one that waits for long does."""

    def __init__(self, settings: ProducerSettings) -> None:
        """Make it in place of the real one; a task with two of them has replaced the first."""
        self.real = make_producer("confluent", settings)
        self.is_replaced = False

    def __getattr__(self, name: str) -> object:
        """Do all else as the real one."""
        return getattr(self.real, name)

    def send(self, record: LoadRecord, report: Callable[[SendResult], None]) -> None:
        """Refuse the record, once replaced."""
        if self.is_replaced:
            raise LoadProducerError("_FENCED: another took over", kind="fatal")
        self.real.send(record, report)


def rows_with_zombies(cluster: Cluster, folder: Path) -> list[SentRow]:
    """Do a task in which a second producer takes over now and then, with confluent-kafka."""
    folder.mkdir()
    options = options_for(cluster.bootstrap_servers, cluster.admin_url, folder, "zombies")
    attempt = LoadAttempt(options=replace(options, clients=["confluent"]), task=0, number=0)
    attempt.run()
    return attempt.rows


def test_a_zombie_that_notices_its_fencing_gets_the_same_result(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[Attentive] = []

    def make(client: ClientName, settings: ProducerSettings) -> Attentive:
        made.append(Attentive(settings))
        for each in made[:-1]:
            each.is_replaced = True
        return made[-1]

    with Cluster(topics={"orders": 2}, admin_port=0) as cluster:
        unaware = rows_with_zombies(cluster, tmp_path / "unaware")
        monkeypatch.setattr(load_attempt, "make_producer", make)
        attentive = rows_with_zombies(cluster, tmp_path / "attentive")
    assert len(made) > 1
    assert [(row.record_id, row.transaction_outcome) for row in unaware] == [
        (row.record_id, row.transaction_outcome) for row in attentive
    ]
    refused = [row.error for row in attentive if row.outcome == "failed"]
    assert set(refused) == {"_FENCED: another took over"}


def test_a_dead_task_has_written_its_sent_rows(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 2}, admin_port=0) as cluster:
        rows = do_tasks(
            options_for(cluster.bootstrap_servers, cluster.admin_url, tmp_path, "dying-workers")
        )
    died = [row for row in rows if row.transaction_outcome == "unknown"]
    assert {(row.attempt, row.outcome) for row in died} == {(0, "acked")}
    assert 0 < len(died) < SHAPE.records


@pytest.mark.parametrize("delivery", ["idempotent", "transactional", "plain"])
def test_nothing_is_lost_when_leaders_move(delivery: Delivery, tmp_path: Path) -> None:
    with Cluster(brokers=2, topics={"orders": 2}, admin_port=0) as cluster:
        before = (
            cluster.partition("orders", 0).leader_epoch,
            cluster.partition("orders", 1).leader_epoch,
        )
        do_tasks(
            options_for(
                cluster.bootstrap_servers, cluster.admin_url, tmp_path, "leader-moves", delivery
            )
        )
        after = (
            cluster.partition("orders", 0).leader_epoch,
            cluster.partition("orders", 1).leader_epoch,
        )
        assert sum(after) > sum(before)
        assert copies(cluster.bootstrap_servers) == WANTED


def test_the_first_write_is_acknowledged_and_lost(tmp_path: Path) -> None:
    with Cluster(brokers=2, topics={"orders": 2}, admin_port=0) as cluster:
        rows = do_tasks(
            options_for(
                cluster.bootstrap_servers,
                cluster.admin_url,
                tmp_path,
                "first-write-lost",
                "idempotent",
            )
        )
        lost = {row.record_id for row in rows if row.outcome == "acked"} - set(
            copies(cluster.bootstrap_servers)
        )
        assert lost
        assert {row.offset for row in rows if row.record_id in lost} >= {0}


@pytest.mark.parametrize(("delivery", "again"), [("idempotent", False), ("plain", True)])
def test_lost_answers_make_producers_without_idempotence_send_again(
    delivery: Delivery, again: bool, tmp_path: Path
) -> None:
    with Cluster(topics={"orders": 2}, admin_port=0) as cluster:
        options = options_for(
            cluster.bootstrap_servers, cluster.admin_url, tmp_path, "lost-answers", delivery
        )
        make_rules(options.admin, options.plan, topic="orders", client_ids=["load-0", "load-1"])
        rows = do_tasks(options)
        assert [fault.hits for fault in cluster.faults] == [1, 1]
        assert {row.outcome for row in rows} == {"acked"}
        seen = copies(cluster.bootstrap_servers)
        assert set(seen) == set(WANTED)
        assert (seen != WANTED) is again


def test_client_decisions_repeat_with_the_same_seed(tmp_path: Path) -> None:
    decided: list[list[tuple[object, ...]]] = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        with Cluster(topics={"orders": 2}, admin_port=0) as cluster:
            rows = do_tasks(
                options_for(cluster.bootstrap_servers, cluster.admin_url, folder, "aborts")
            )
        decided.append([(r.task, r.attempt, r.transaction, r.record_id, r.partition) for r in rows])
    assert decided[0] == decided[1]


def test_a_record_that_is_refused_fails_its_task(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 2}, admin_port=0) as cluster:
        cluster.fault(API.PRODUCE).answer("INVALID_RECORD").every_time()
        options = replace(
            options_for(cluster.bootstrap_servers, cluster.admin_url, tmp_path, "clean", "plain"),
            clients=["confluent"],
        )
        attempt = LoadAttempt(options=options, task=0, number=0)
        with pytest.raises(LoadProducerError, match="INVALID_RECORD"):
            attempt.run()
    (path,) = tmp_path.glob("part-*.parquet")
    rows = read_part(path).to_pylist()
    assert {row["outcome"] for row in rows} == {"failed"}
    assert {row["error"] for row in rows} == {"INVALID_RECORD"}


def test_an_aborted_transaction_is_retried(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 2}, admin_port=0) as cluster:
        cluster.fault(API.PRODUCE).answer("INVALID_RECORD").once()
        options = replace(
            options_for(cluster.bootstrap_servers, cluster.admin_url, tmp_path, "clean"),
            clients=["confluent"],
        )
        attempt = LoadAttempt(options=options, task=0, number=0)
        attempt.run()
        cluster.assert_exactly_once("orders")
    outcomes = {row.transaction: row.transaction_outcome for row in attempt.rows}
    assert outcomes[0] == "aborted"
    committed = Counter(r.record_id for r in attempt.rows if r.transaction_outcome == "committed")
    assert committed == Counter(each.record_id for each in SHAPE.records_of(0, range(40)))


def test_each_attempt_abandons_another_transactional_id(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        options = options_for(cluster.bootstrap_servers, cluster.admin_url, tmp_path, "clean")
    chaos = replace(options.plan.chaos, abandoned=True)
    abandoned = replace(options, plan=replace(options.plan, chaos=chaos))
    assert [options.transactional_id_of(1, n) for n in range(2)] == ["orders-load-7-1"] * 2
    assert [abandoned.transactional_id_of(1, n) for n in range(2)] == [
        "orders-load-7-1-0",
        "orders-load-7-1-1",
    ]
