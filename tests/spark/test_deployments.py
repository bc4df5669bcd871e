"""The same findings wherever Spark runs: in this process, on clusters, and over Spark Connect."""

import json
import sys
from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from click.testing import CliRunner

from mockbroker import Cluster
from mockbroker.cli.commands import commands
from mockbroker.journal.entry import Entry
from mockbroker.wire import WireProducer
from tests.audit.golden.scenarios import MADE
from tests.audit.golden.stored import golden
from tests.support.spark_cluster import WORKERS, SparkInstallation, ran
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS

APART: Final = 10_000
"""Distance of the ids of two golden journals."""


class Found(NamedTuple):
    """Results of an audit: the rows of its findings, and `verdict.json`."""

    findings: list[dict[str, Any]]
    verdict: dict[str, Any]


def golden_entries() -> Iterator[Entry]:
    """Yield the golden journals that break a rule as one journal, with their own topics and ids."""
    seq = 0
    for number, rule in enumerate(sorted(MADE), 1):
        last, apart = seq, number * APART
        for entry in golden(rule, "fires"):
            seq = last + entry.seq
            yield entry._replace(
                seq=seq,
                call=entry.call and entry.call + apart,
                connection=entry.connection and entry.connection + apart,
                producer_id=entry.producer_id and entry.producer_id + apart,
                topic=entry.topic and f"{rule}-{entry.topic}",
                transactional_id=entry.transactional_id and f"{rule}-{entry.transactional_id}",
                group=entry.group and f"{rule}-{entry.group}",
            )


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal in four parts, which breaks most of the rules."""
    return written(tmp_path_factory.mktemp("journals") / "j", list(golden_entries()), parts=4)


@pytest.fixture(scope="module")
def topic() -> Generator[str]:
    """A topic whose broker forgot a producer, which then left sequences out."""
    with Cluster(topics={"orders": 2}) as cluster:
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
            producer.produce("orders", b"1", b"2", base_sequence=0)
            cluster.partition("orders", 0).forget_producer(producer.producer_id)
            producer.produce("orders", b"9", base_sequence=8)
        yield f"kafka://{cluster.bootstrap_servers}/orders"


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> SparkInstallation:
    """PySpark, for workers without this repository."""
    return SparkInstallation(tmp_path_factory.mktemp("spark-installation"))


def results_in(out: Path) -> Found:
    """Read the results of an audit."""
    parquet: Any = import_module("pyarrow.parquet")
    return Found(
        parquet.read_table(out / "findings.parquet").to_pylist(),
        json.loads((out / "verdict.json").read_text("utf-8")),
    )


def audited(out: Path, *words: str) -> Found:
    """Run the command in this process, with its Spark session or without Spark."""
    answer = CliRunner().invoke(commands, ["audit", *words, "--out", str(out)])
    assert answer.exit_code == 1, answer.output
    return results_in(out)


@pytest.fixture(scope="module")
def local(
    mockbroker_spark: "SparkSession",
    journal: Path,
    topic: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Found:
    """What the session of this process finds, on `local[2]`."""
    out = tmp_path_factory.mktemp("local") / "out"
    return audited(out, str(journal), topic, "--engine", "spark")


def of(journal: Path, found: Found) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the findings and the verdict of the journal, without those of other sources."""
    name = str(journal)
    return (
        [each for each in found.findings if each["source"] == name],
        [each for each in found.verdict["sources"] if each["source"] == name],
    )


def test_the_process_finds_in_a_journal_what_spark_finds(
    local: Found, journal: Path, tmp_path: Path
) -> None:
    process = audited(tmp_path / "out", str(journal), "--engine", "process")
    assert of(journal, process) == of(journal, local)
    assert len({each["rule"] for each in process.findings}) > len(MADE) * 0.8
    in_topic = [each for each in local.findings if each not in process.findings]
    assert "SEQUENCE_GAP" in {each["rule"] for each in in_topic}


def test_spark_submit_to_a_standalone_cluster_finds_the_same(
    installation: SparkInstallation, local: Found, journal: Path, tmp_path: Path
) -> None:
    package, out = tmp_path / "package", tmp_path / "out"
    assert CliRunner().invoke(commands, ["package", str(package)]).exit_code == 0
    with installation.standalone_cluster() as master:
        words = [
            *("--py-files", str(package / "mockbroker.zip")),
            *(str(package / "mockbroker_pipeline.py"), "audit", str(journal), "--out", str(out)),
        ]
        command = installation.submission(master, *words)
        done = ran(command, tmp_path, installation.environment())
    assert done.returncode == 1, done.stdout + done.stderr
    assert of(journal, results_in(out)) == of(journal, local)
    assert installation.executors() == WORKERS


OVER_CONNECT: Final = """
import json, sys
from pyspark.sql import SparkSession
from mockbroker.spark import audit

spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
result = audit(spark, *sys.argv[2:])
rows = [each.asDict() for each in result.findings.orderBy("number").collect()]
print(json.dumps([rows, result.verdict]))
"""


def test_spark_connect_to_a_local_cluster_finds_the_same(
    installation: SparkInstallation, local: Found, journal: Path, topic: str, tmp_path: Path
) -> None:
    pytest.importorskip("grpc_status", reason="the client needs pyspark[connect]")
    with installation.connect_server(f"local-cluster[{WORKERS},1,512]") as server:
        command = [sys.executable, "-c", OVER_CONNECT, server, str(journal), topic]
        done = ran(command, tmp_path, installation.environment())
    assert done.returncode == 0, done.stderr
    assert Found(*json.loads(done.stdout)) == local
