"""Topics of a running cluster: judged by their batches, each for itself."""

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="an audit with Spark needs the extra spark")

from mockbroker import API, ClientAccess, Cluster
from mockbroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from mockbroker.report.audited import SourceVerdict
from mockbroker.report.bad_input import BadInputError
from mockbroker.spark.auditing.source import TopicSource
from mockbroker.spark.auditing.source_audit import SourceAudit
from mockbroker.spark.auditing.topic_audit import audit_topics
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.report.progress import Progress
from mockbroker.wire import WireClient, WireProducer
from mockbroker.wire.security import security_of
from tests.spark.topics.test_topics_in_process import OF_TRANSACTIONS, judged, late_batch, mark
from tests.support.hanging import WITHOUT_VERIFICATION, leave_hanging
from tests.support.process import PATIENCE_S
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A topic with a transaction, one with plain batches, and one with nothing."""
    with Cluster(topics={"paid": 1, "plain": 1, "empty": 1}) as started:
        with WireProducer(started.bootstrap_servers, "payments") as producer:
            producer.init_producer_id()
            producer.add_partition("paid")
            for sequence in range(3):
                producer.produce("paid", b"order", base_sequence=sequence)
            producer.commit()
        with WireProducer(started.bootstrap_servers) as producer:
            producer.init_producer_id()
            for sequence in range(8):
                producer.produce("plain", b"order", base_sequence=sequence)
        yield started


def audited(spark: "SparkSession", servers: str, *topics: str) -> SourceAudit:
    session = CommandSession(spark, is_connect=False)
    source = TopicSource(bootstrap_servers=servers, topics=topics)
    return audit_topics(session, source, Progress(io.StringIO()))


def reasons_of(verdict: SourceVerdict) -> dict[str, str]:
    return {each.rule: each.reason for each in verdict.verdict.rules if not each.is_judged}


def test_stored_batches_are_judged_and_unjudged_rules_are_listed(
    mockbroker_spark: "SparkSession", cluster: Cluster
) -> None:
    done = audited(mockbroker_spark, cluster.bootstrap_servers, "paid", "plain", "empty")
    assert done.bad == ()
    assert done.verdict.verdict.findings == ()
    counts = done.verdict.verdict.counts
    assert (counts.appends, counts.partitions, counts.producers) == (12, 2, 2)
    assert done.verdict.source == f"kafka://{cluster.bootstrap_servers}/paid,plain,empty"
    reasons = reasons_of(done.verdict)
    assert not {*OF_TRANSACTIONS, "SEQUENCE_GAP"} & reasons.keys()
    assert reasons["RETRY_STORM"] == "a topic has no answers"


def test_the_coordinators_log_is_judged_as_in_process(mockbroker_spark: "SparkSession") -> None:
    with Cluster(topics={"orders": 1, "other": 1}, config=WITHOUT_VERIFICATION) as cluster:
        late_batch(cluster)
        mark(cluster, is_commit=True)
        mark(cluster, is_commit=False)
        done = audited(mockbroker_spark, cluster.bootstrap_servers, "orders", "other")
        expected = judged(cluster, "orders", "other")
    verdict = done.verdict.verdict
    assert [(each.rule, each.first_offset) for each in verdict.findings] == [
        *(("APPEND_AFTER_MARKER", 2), ("MARKER_WITHOUT_TXN", 8), ("DOUBLE_MARKER", 7)),
    ]
    assert [each.evidence for each in verdict.findings] == [(3,), (9,), (7, 8)]
    assert [each._replace(evidence=()) for each in verdict.findings] == [
        each._replace(evidence=()) for each in expected.findings
    ]
    assert (verdict.rules, verdict.unknown) == (expected.rules, expected.unknown)


def test_a_topic_that_does_not_exist_does_not_keep_others_from_being_judged(
    mockbroker_spark: "SparkSession", cluster: Cluster
) -> None:
    servers = cluster.bootstrap_servers
    done = audited(mockbroker_spark, servers, "gone", "paid")
    (bad,) = done.bad
    assert bad.where == f"kafka://{servers}/gone"
    assert bad.what == "It cannot be read: topic gone does not exist."
    assert done.verdict.verdict.counts.appends == 4


def test_a_topic_that_is_deleted_while_it_is_read_is_named_and_the_rest_is_judged(
    mockbroker_spark: "SparkSession",
) -> None:
    with Cluster(topics={"going": 1, "staying": 1}) as cluster:
        for topic in ("going", "staying"):
            with WireProducer(cluster.bootstrap_servers) as producer:
                producer.init_producer_id()
                producer.produce(topic, b"order", base_sequence=0)
        held = cluster.fault(API.FETCH, topic="going").hold()

        def delete() -> None:
            held.wait_held(timeout=f"{PATIENCE_S}s")
            with WireClient(cluster.bootstrap_servers) as client:
                request = DeleteTopicsRequest(topic_names=["going"], timeout_ms=1000)
                client.ask(request, 5, DeleteTopicsResponse)
            held.release()

        with ThreadPoolExecutor() as threads:
            deleted = threads.submit(delete)
            done = audited(mockbroker_spark, cluster.bootstrap_servers, "going", "staying")
            deleted.result(PATIENCE_S)
        (bad,) = done.bad
        assert bad.where == f"kafka://{cluster.bootstrap_servers}/going"
        assert bad.what == "It cannot be read: topic going was deleted."
        assert done.verdict.verdict.counts.appends == 1


def test_a_hanging_transaction_is_found_in_its_topic_over_tls_and_sasl(
    mockbroker_spark: "SparkSession",
) -> None:
    config = WITHOUT_VERIFICATION | {
        "listeners": "PLAINTEXT://127.0.0.1:0,SASL_SSL://127.0.0.1:0",
        "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    }
    with Cluster(tls=True, topics={"orders": 1, "paid": 1}, config=config) as cluster:
        cluster.users.add("audit", "top-secret")
        leave_hanging(cluster.bootstrap_servers, "orders")
        access = ClientAccess("audit", "top-secret", listener="SASL_SSL")
        settings = cluster.client_config("java", access)
        source = TopicSource(
            bootstrap_servers=settings["bootstrap.servers"],
            topics=("orders", "paid"),
            security=security_of(settings),
        )
        session = CommandSession(mockbroker_spark, is_connect=False)
        done = audit_topics(session, source, Progress(io.StringIO()))
        (finding,) = done.verdict.verdict.findings
        assert (finding.rule, finding.topic) == ("HANGING_TXN", "orders")
        assert finding.evidence == (3,)


def test_a_cluster_that_cannot_be_reached_is_refused(mockbroker_spark: "SparkSession") -> None:
    with pytest.raises(BadInputError, match=r"no broker answers at 127\.0\.0\.1:1"):
        audited(mockbroker_spark, "127.0.0.1:1", "paid")
