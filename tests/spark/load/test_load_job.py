"""A load as a job of Spark: tasks that fail are tried again, and the ledger has all of it."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

pytest.importorskip("pyspark", reason="a load with Spark needs the extra spark")

from mockbroker import API, Cluster
from mockbroker.cli.commands import commands
from mockbroker.spark.auditing.visible_records import visible_frame
from mockbroker.spark.load.load_attempt import LoadOptions, TaskFailedError
from mockbroker.spark.load.load_job import sink_rounds
from mockbroker.spark.load.load_ledger_files import read_ledger
from mockbroker.spark.load.load_plan import PLANS
from mockbroker.spark.load.load_script import LoadShape

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest.importorskip("pyarrow", reason="the ledger needs the extra spark")

in_spark = [
    pytest.mark.spark,
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    # py4j leaves it to the garbage collector to close its sockets
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]


@pytest.mark.slow
def test_the_sink_is_given_rounds_and_half_of_the_one_that_fails(tmp_path: Path) -> None:
    options = LoadOptions(
        bootstrap_servers="127.0.0.1:1",
        topic="orders",
        shape=LoadShape(seed=7, tasks=1, records=40, partitions=2),
        plan=PLANS["retried-tasks"],
        delivery="idempotent",
        clients=["spark"],
        folder=tmp_path,
    )
    batches: list[Any] = []
    with pytest.raises(TaskFailedError):
        batches += sink_rounds(options, 0, 0)
    again = list(sink_rounds(options, 0, 1))
    assert sum(batch.num_rows for batch in again) == 40
    (first, *_) = again[0].to_pylist()
    record = options.shape.record(0, 0)
    assert first == {
        "topic": "orders",
        "partition": record.partition,
        "key": record.key,
        "value": record.value,
        "headers": [{"key": "mockbroker.record", "value": record.record_id.encode()}],
    }
    assert len(list(tmp_path.glob("part-00000-0[01].parquet"))) == 2


def run(cluster: Cluster, folder: Path, *words: str) -> Any:
    """Run the command in this process, with its session of Spark."""
    usual = ("--bootstrap", cluster.bootstrap_servers, "--topic", "orders:2", "--seed", "7")
    size = ("--tasks", "3", "--records", "60", "--out", str(folder), "--json")
    found = CliRunner(env={"MOCKBROKER_ADMIN": ""}).invoke(
        commands, ["load", *usual, *size, *words]
    )
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


class TestInSpark:
    pytestmark = in_spark

    def test_every_client_sends_and_retries_failed_tasks(
        self, mockbroker_spark: "SparkSession", tmp_path: Path
    ) -> None:
        with Cluster() as cluster:
            clients = "confluent,kafka-python,spark"
            said = run(cluster, tmp_path / "out", "--client", clients, "--plan", "retried-tasks")
            frame = visible_frame(mockbroker_spark, cluster.bootstrap_servers, ["orders"])
            rows: list[tuple[Any, ...]] = [tuple(row) for row in frame.collect()]
        ledger = read_ledger(tmp_path / "out")
        assert ledger.broken == ()
        assert said["seed"] == ledger.manifest.seed == 7
        assert said["expected"] == ["DUPLICATE_PAYLOAD"]
        assert {row.client for row in ledger.rows} == set(clients.split(","))
        assert Counter(row.attempt for row in ledger.rows).keys() == {0, 1}
        last = {(row.task, row.record_id) for row in ledger.rows if row.outcome == "acked"}
        assert len(last) == 180
        assert ledger.visible is not None
        assert sorted(rows) == sorted(map(tuple, ledger.visible))
        counts = Counter(record.record_id for record in ledger.visible)
        assert len(counts) == 180
        assert max(counts.values()) == 2

    def test_workers_die_and_transactions_hide_it(
        self, mockbroker_spark: "SparkSession", tmp_path: Path
    ) -> None:
        with Cluster() as cluster:
            clients = ("--client", "confluent,kafka-python")
            said = run(
                cluster, tmp_path / "out", *clients, "--plan", "dying-workers", "--transactional"
            )
            cluster.assert_exactly_once("orders")
        assert said["counts"]["visible"] == said["counts"]["records"] == 180
        assert said["counts"]["attempts"] == 5
        assert said["counts"]["sent"] > 180

    def test_a_mockbroker_injects_the_faults_of_a_plan(
        self, mockbroker_spark: "SparkSession", tmp_path: Path
    ) -> None:
        with Cluster(admin_port=0) as cluster:
            admin = ("--admin", str(cluster.admin_url))
            said = run(cluster, tmp_path / "lost", *admin, "--plan", "lost-answers", "--plain")
            assert set(said["rules"].values()) == {1}
            assert said["counts"]["visible"] > 180
            assert not cluster.faults

    def test_a_failed_load_reports_the_reason_in_one_line(
        self, mockbroker_spark: "SparkSession", tmp_path: Path
    ) -> None:
        with Cluster() as cluster:
            cluster.fault(API.PRODUCE).answer("INVALID_RECORD").every_time()
            words = ("--bootstrap", cluster.bootstrap_servers, "--topic", "orders:1", "--plain")
            out = tmp_path / "out"
            found = CliRunner().invoke(
                commands, ["load", *words, "--tasks", "1", "--records", "9", "--out", str(out)]
            )
        assert found.exit_code == 1
        (line,) = [each for each in found.output.splitlines() if "did not complete" in each]
        assert "INVALID_RECORD" in line
        ledger = read_ledger(out)
        assert not ledger.manifest.is_closed
        assert {row.attempt for row in ledger.rows} == {0, 1, 2}
        assert ledger.broken

    def test_a_folder_that_is_not_empty_is_left_alone(
        self, mockbroker_spark: "SparkSession", tmp_path: Path
    ) -> None:
        (tmp_path / "mine").write_text("")
        with Cluster() as cluster:
            words = ("--bootstrap", cluster.bootstrap_servers, "--topic", "orders")
            found = CliRunner().invoke(commands, ["load", *words, "--out", str(tmp_path)])
        assert found.exit_code == 2
        assert "needs a new folder" in found.output
