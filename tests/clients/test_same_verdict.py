"""The same load on real Kafka and on mockbroker gets the same verdict."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from click.testing import CliRunner

from mockbroker import Cluster
from mockbroker.audit.finding import Finding
from mockbroker.audit.verdict import RuleVerdict
from mockbroker.cli.commands import commands
from mockbroker.spark.auditing.visible_records import read_visible, waiting_from
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.report.progress import Progress
from tests.clients.support.deadline import wait_until
from tests.clients.support.kafka_port import kafka_port
from tools import real_kafka

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.spark,
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.timeout(600),  # the jars are fetched on first use
    # py4j leaves it to the garbage collector to close its sockets
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

CLIENTS = "confluent,kafka-python"


class Outcome(NamedTuple):
    """What a load did, and what an audit of its topic says; producer ids and times are left out."""

    counts: Any
    expected: list[str]
    rules: tuple[RuleVerdict, ...]
    findings: tuple[Finding, ...]


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The bootstrap servers of one real broker."""
    folder = tmp_path_factory.mktemp("kafka")
    with (
        kafka_port() as port,
        real_kafka.start(folder, port, jvm=real_kafka.JVM_SMALL) as running,
    ):
        yield running.bootstrap_servers


def outcome(spark: "SparkSession", servers: str, folder: Path, *words: str) -> Outcome:
    """Load a topic of this name, and audit it with the ledger."""
    from mockbroker.spark.auditing.audit_job import audit  # they need PySpark
    from mockbroker.spark.auditing.audit_request import AuditRequest

    report = folder / "report"
    report.mkdir(parents=True)
    usual = ["load", "--bootstrap", servers, "--client", CLIENTS, "--seed", "7", "--json"]
    load = CliRunner().invoke(commands, [*usual, "--out", str(folder / "ledger"), *words])
    assert load.exit_code == 0, load.output
    said = json.loads(load.stdout)
    topic = words[words.index("--topic") + 1].partition(":")[0]
    request = AuditRequest(
        sources=[f"kafka://{servers}/{topic}"], ledger=str(folder / "ledger"), out=report
    )
    audited = audit(CommandSession(spark, is_connect=False), request, Progress())
    assert not audited.bad
    (source,) = audited.sources
    found = [
        each._replace(
            text=re.sub(r"producer \d+", "producer #", each.text),
            producer_id=None,
            virtual_time_ms=None,
            evidence=(),
        )
        for each in source.verdict.findings
    ]
    # The load read while real Kafka still wrote the last markers.
    wait_until(lambda: not waiting_from(servers, [topic]))
    counts = {**said["counts"], "visible": len(list(read_visible(servers, topic)))}
    return Outcome(counts, said["expected"], source.verdict.rules, tuple(found))


def both(spark: "SparkSession", kafka: str, folder: Path, *words: str) -> tuple[Outcome, Outcome]:
    """Do the same on real Kafka and on mockbroker."""
    real = outcome(spark, kafka, folder / "kafka", *words)
    with Cluster() as cluster:
        mock = outcome(spark, cluster.bootstrap_servers, folder / "mock", *words)
    return real, mock


def test_a_single_failed_task_is_found_at_the_same_offsets(
    mockbroker_spark: "SparkSession", kafka: str, tmp_path: Path
) -> None:
    words = ("--topic", "same-one:2", "--tasks", "1", "--records", "100")
    real, mock = both(mockbroker_spark, kafka, tmp_path, *words, "--plan", "retried-tasks")
    assert real == mock
    assert {each.rule for each in real.findings} == set(real.expected) == {"DUPLICATE_PAYLOAD"}


def test_concurrent_tasks_break_the_same_rules(
    mockbroker_spark: "SparkSession", kafka: str, tmp_path: Path
) -> None:
    words = ("--topic", "same-storm:2", "--tasks", "3", "--records", "60")
    real, mock = both(mockbroker_spark, kafka, tmp_path, *words, "--plan", "storm")
    # Tasks write beside each other: where in the log their records come to lie is left to chance.
    assert {each.rule for each in real.findings} == set(real.expected)
    assert {each.rule for each in mock.findings} == set(mock.expected)
    assert judged(real) == judged(mock)
    assert sizes(real) == sizes(mock)


def judged(of: Outcome) -> list[tuple[str, bool, str]]:
    """List which rules were judged, and why others were not."""
    return [(each.rule, each.is_judged, each.reason) for each in of.rules]


def sizes(of: Outcome) -> dict[str, int]:
    """Say how much was wanted and sent, and how much readers see."""
    return {name: of.counts[name] for name in ("records", "sent", "visible", "attempts")}
