"""Ids in a journal, found by Spark's workers."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="an audit with Spark needs the extra spark")

from mockbroker import Cluster
from mockbroker.audit.identity.visible_ids import VisibleId
from mockbroker.cli.audit.process_audit import audit as audit_in_process
from mockbroker.journal.options import JournalFormat, JournalOptions
from mockbroker.spark.auditing.audit_job import audit
from mockbroker.spark.auditing.audit_request import AuditRequest
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.journal.recorded_ids import found_in_frame, repeated_found
from mockbroker.spark.report.progress import Progress
from mockbroker.wire import WireProducer
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import produced, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS


@pytest.mark.parametrize(("identity", "is_aborted"), [("header:id", False), ("value", True)])
def test_an_identity_that_no_visible_record_has_judges_nothing_on_spark_either(
    mockbroker_spark: "SparkSession", tmp_path: Path, identity: str, is_aborted: bool
) -> None:
    path = tmp_path / "journal"
    options = JournalOptions(path=path, identity=identity)
    with Cluster(topics={"orders": 1}, journal=options) as cluster:
        if is_aborted:
            with WireProducer(cluster.bootstrap_servers, "t") as producer:
                producer.init_producer_id()
                producer.add_partition("orders")
                producer.produce("orders", b"a", base_sequence=0)
                producer.abort()
        else:
            cluster.append("orders", "a")
    progress = Progress(io.StringIO())
    session = CommandSession(mockbroker_spark, is_connect=False)
    (source,) = audit(session, AuditRequest(sources=[str(path)], out=None), progress).sources
    (same,) = audit_in_process(AuditRequest(sources=[str(path)], out=None), progress).sources
    assert source.verdict == same.verdict
    assert source.verdict.identity is None


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_journal_is_judged_by_its_ids_as_in_process(
    mockbroker_spark: "SparkSession",
    tmp_path: Path,
    format: JournalFormat,  # noqa: A002
) -> None:
    path = tmp_path / "journal"
    options = JournalOptions(path=path, format=format, identity="value")
    with Cluster(topics={"orders": 2, "copy": 1}, journal=options) as cluster:
        with WireProducer(cluster.bootstrap_servers, "t") as producer:
            producer.init_producer_id()
            producer.add_partition("copy")
            producer.produce("copy", b"a", base_sequence=0)
            producer.abort()
        for topic, value, partition in (
            ("orders", "a", 0),
            ("orders", "a", 1),
            ("orders", "b", 0),
            ("copy", "a", 0),
        ):
            cluster.append(topic, value, partition=partition)
        cluster.reset()
        for value in ("b", "c", "c"):
            cluster.append("orders", value, partition=1)
    progress = Progress(io.StringIO())
    session = CommandSession(mockbroker_spark, is_connect=False)
    done = audit(session, AuditRequest(sources=[str(path)], out=None), progress)
    (source,) = done.sources
    assert [(each.rule, each.place, each.copied_place) for each in source.verdict.findings] == [
        ("DUPLICATE_PAYLOAD", "orders-1", ("orders", 0)),
        ("DUPLICATE_PAYLOAD", "orders-1", ("orders", 1)),
    ]
    same = audit_in_process(AuditRequest(sources=[str(path)], out=None), progress)
    assert same.sources[0].verdict.findings == source.verdict.findings
    assert (source.verdict.identity, done.bad) == ("value", ())


@pytest.mark.parametrize("kind", ["array<string>", "struct<id: string>", "map<string, string>"])
def test_a_column_without_ids_is_refused(mockbroker_spark: "SparkSession", kind: str) -> None:
    schema = f"topic string, partition int, offset bigint, id {kind}"
    with pytest.raises(ValueError, match=r"its column id has .*, and no ids"):
        found_in_frame(mockbroker_spark.createDataFrame([], schema), "id")


def test_found_lists_are_refused_as_in_process(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    rows = [("orders", 0, 0, ["a", "b"]), ("orders", 0, 1, ["a, b"])]
    schema = "topic string, partition int, offset bigint, id array<string>"
    found = str(tmp_path / "found")
    mockbroker_spark.createDataFrame(rows, schema).write.parquet(found)
    journal = written(tmp_path / "j", list(produced(3)))
    request = AuditRequest(sources=[str(journal)], found=found, identity="column:id")
    progress = Progress(io.StringIO())
    session = CommandSession(mockbroker_spark, is_connect=False)
    for done in (audit(session, request, progress), audit_in_process(request, progress)):
        assert done.findings() == []
        (bad,) = done.bad
        assert "cannot be read: its column id has " in bad.what


def test_no_number_is_no_id(mockbroker_spark: "SparkSession") -> None:
    rows = [("orders", 0, offset, float("nan")) for offset in range(2)]
    schema = "topic string, partition int, offset bigint, id double"
    found = found_in_frame(mockbroker_spark.createDataFrame(rows, schema), "id")
    assert found.collect() == []


def test_ids_of_different_bytes_are_different(mockbroker_spark: "SparkSession") -> None:
    ids = (b"\xfe", b"\xff", b"same", b"same", None)
    rows = [("orders", 0, offset, record_id) for offset, record_id in enumerate(ids)]
    schema = "topic string, partition int, offset bigint, id binary"
    found = found_in_frame(mockbroker_spark.createDataFrame(rows, schema), "id")
    repeated = sorted(repeated_found(found, across_topics=False))
    assert repeated == [VisibleId("orders", 0, 2, "same"), VisibleId("orders", 0, 3, "same")]
