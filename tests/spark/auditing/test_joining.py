"""A verdict and the ids of records: of a ledger, and of what readers find."""

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="an audit with Spark needs the extra spark")

from mockbroker import Cluster
from mockbroker.journal.record_identity import RecordIdentity
from mockbroker.report.audited import SourceVerdict
from mockbroker.report.bad_input import BadInputError
from mockbroker.spark.auditing.joining import WantedIds, joined, joined_with_recorded, ledger_of
from mockbroker.spark.auditing.journal_audit import audit_journal
from mockbroker.spark.auditing.source import JournalSource, TopicSource
from mockbroker.spark.auditing.source_audit import SourceAudit
from mockbroker.spark.auditing.topic_audit import audit_topics
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.load.load_ledger import (
    LedgerManifest,
    LoadCounts,
    SentRow,
    VisibleRecord,
)
from mockbroker.spark.load.load_ledger_files import LoadLedger
from mockbroker.spark.report.progress import Progress
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.verdicts import verdict_of
from tests.support.written_journals import produced, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS


def ledger_with(
    offsets: Sequence[int], found: Sequence[int] | None, topic: str = "orders"
) -> LoadLedger:
    """Records that were acknowledged at these offsets, and that readers found at those."""
    manifest = LedgerManifest(
        seed=1, plan="calm", delivery="plain", expected=(), topic=topic, partitions=2, tasks=1,
        records=len(offsets), clients=("confluent",), started_us=0, ended_us=1, is_closed=True,
        counts=LoadCounts(records=len(offsets), sent=len(offsets)),
    )  # fmt: skip
    rows = [
        SentRow(
            task=0, attempt=0, client="confluent", transactional_id=None, transaction=None,
            record_id=f"r{offset}", topic=topic, partition=0, sent_us=0, outcome="acked",
            offset=offset,
        )
        for offset in offsets
    ]  # fmt: skip
    visible = None
    if found is not None:
        visible = [VisibleRecord(topic, 0, offset, f"r{offset}") for offset in found]
    return LoadLedger(manifest=manifest, rows=rows, visible=visible, waiting={}, broken=())


@pytest.fixture
def session(mockbroker_spark: "SparkSession") -> CommandSession:
    return CommandSession(mockbroker_spark, is_connect=False)


def journal(session: CommandSession, folder: Path) -> tuple[JournalSource, SourceAudit]:
    path = str(written(folder / "j", list(produced(9))))
    return JournalSource(path=path), audit_journal(session, path, Progress(io.StringIO()))


def test_records_that_readers_do_not_find_are_lost(session: CommandSession, tmp_path: Path) -> None:
    source, done = journal(session, tmp_path)
    again, bad = joined(session, source, done, ledger_with([0, 1, 2], [0, 2]))
    assert bad == []
    (finding,) = again.verdict.verdict.findings
    assert (finding.rule, finding.first_offset) == ("LOST_ACKED", 1)
    clean, bad = joined(session, source, done, ledger_with([0, 1, 2], [0, 1, 2]))
    assert (clean.verdict.verdict.findings, bad) == ((), [])


def test_records_behind_an_open_transaction_are_not_lost(
    session: CommandSession, tmp_path: Path
) -> None:
    source, done = journal(session, tmp_path)
    ledger = replace(ledger_with([0, 1, 2], [0]), waiting={("orders", 0): 1})
    clean, bad = joined(session, source, done, ledger)
    assert (clean.verdict.verdict.findings, bad) == ((), [])


def test_a_ledger_of_another_topic_is_reported_and_not_joined(
    session: CommandSession, tmp_path: Path
) -> None:
    source, done = journal(session, tmp_path)
    again, (bad,) = joined(session, source, done, ledger_with([0], [], "payments"))
    assert again is done
    assert bad.what == (
        f"Its load wrote to payments, which is not in {source.path}: the ledger is not used."
    )
    assert bad.advice.startswith("Name the ledger of the load that wrote to this source")


def test_a_journal_may_have_no_ids(session: CommandSession, tmp_path: Path) -> None:
    source, done = journal(session, tmp_path)
    again, (bad,) = joined_with_recorded(done, "key", across_topics=False)
    assert again.verdict.verdict.identity is None
    assert str(bad) == (
        f"{source.path}: It was recorded without identities of records."
        " Record the journal with --journal-identity, audit the topics while they are there, or"
        " leave --identity out."
    )
    off, _ = joined_with_recorded(done, "off", across_topics=False)
    assert off.verdict.verdict.identity == "off"


def of_topic(servers: str, topic: str) -> tuple[TopicSource, SourceAudit]:
    source = TopicSource(bootstrap_servers=servers, topics=(topic,))
    verdict = SourceVerdict(source=str(source), kind="topics", verdict=verdict_of())
    return source, SourceAudit(verdict=verdict, evidence=())


def test_an_id_that_readers_find_twice_is_a_finding_without_a_ledger(
    session: CommandSession,
) -> None:
    from confluent_kafka import Producer

    with Cluster(topics={"orders": 1}) as cluster:
        producer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
        for record_id in ("a", "b", "a"):
            headers: dict[str, str | bytes | None] = {"mockbroker.record": record_id}
            producer.produce("orders", b"order", headers=headers)
            assert producer.flush(10) == 0
        source, done = of_topic(cluster.bootstrap_servers, "orders")
        again, bad = joined(session, source, done, None)
    assert bad == []
    (finding,) = again.verdict.verdict.findings
    assert (finding.rule, finding.first_offset) == ("DUPLICATE_PAYLOAD", 2)
    assert again.verdict.verdict.identity == "header:mockbroker.record"


def test_the_rows_of_both_copies_prove_a_finding_by_identity(
    session: CommandSession,
) -> None:
    from confluent_kafka import Producer

    with Cluster(topics={"orders": 1, "billed": 2}) as cluster:
        for topic, partition, order_id in (
            *(("orders", 0, "1"), ("orders", 0, "2"), ("billed", 0, "1")),
            *(("billed", 1, "3"), ("billed", 1, "1")),
        ):
            producer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
            value = b'{"order": {"id": %s}}' % order_id.encode()
            producer.produce(topic, value, partition=partition)
            assert producer.flush(10) == 0
        source = TopicSource(
            bootstrap_servers=cluster.bootstrap_servers, topics=("orders", "billed")
        )
        done = audit_topics(session, source, Progress(io.StringIO()))
        wanted = WantedIds(RecordIdentity("json", "$.order.id"))
        again, bad = joined(session, source, done, None, wanted)
    assert bad == []
    assert again.verdict.verdict.identity == "json:$.order.id"
    (finding,) = again.verdict.verdict.findings
    assert (finding.place, finding.first_offset) == ("billed-1", 1)
    assert (finding.copied_place, finding.copied_offset) == (("billed", 0), 0)
    assert finding.evidence == (1, 2), "the first offset of each batch, plus 1"


def test_topics_with_unreadable_ids_are_reported(session: CommandSession) -> None:
    source, done = of_topic("127.0.0.1:1", "orders")
    again, (bad,) = joined(session, source, done, None)
    assert again is done
    assert bad.what.startswith("Its records cannot be read for their ids: ")


def test_an_audit_accepts_a_valid_ledger_with_exactly_one_source(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="belongs to one load"):
        ledger_of(str(tmp_path), 2)
    with pytest.raises(BadInputError, match=r"it has no ledger\.json\. Name the ledger"):
        ledger_of(str(tmp_path), 1)
