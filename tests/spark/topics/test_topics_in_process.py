"""Topics of clusters of all releases, judged over the wire and without Spark."""

import random
from collections.abc import Callable, Sequence
from unittest.mock import patch

import pytest
from confluent_kafka import Consumer, TopicPartition

from mockbroker import API, ERR, ClientAccess, Cluster, Release
from mockbroker.audit.verdict import Verdict
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from mockbroker.report.bad_input import BadInputError
from mockbroker.spark import audit_topics
from mockbroker.spark.auditing.source import TopicSource
from mockbroker.spark.topics import transaction_evidence
from mockbroker.spark.topics.topics_in_process import audit_source
from mockbroker.wire import WireClient, WireProducer
from mockbroker.wire import cluster as wire_cluster
from mockbroker.wire import producer as wire_producer
from mockbroker.wire.cluster import WireCluster
from mockbroker.wire.transactions import TransactionChange, state_changes
from tests.spark.topics.applications import Applications, keyed
from tests.support.hanging import WITHOUT_VERIFICATION, leave_hanging
from tests.support.written_topics import write, write_transaction

RELEASES: list[Release] = ["2.5", "2.8", "3.6", "4.4"]
OF_TRANSACTIONS = {
    *("HANGING_TXN", "APPEND_AFTER_MARKER", "ZOMBIE_WRITE_ACCEPTED"),
    *("MARKER_WITHOUT_TXN", "DOUBLE_MARKER"),
}


def started(kafka: Release = "4.4", brokers: int = 1, **topics: int) -> Cluster:
    is_verified = kafka in {"3.6", "4.4"}
    config = WITHOUT_VERIFICATION if is_verified else {}
    return Cluster(kafka=kafka, brokers=brokers, topics=topics or {"orders": 1}, config=config)


def judged(cluster: Cluster, *topics: str) -> Verdict:
    return audit_topics(cluster.bootstrap_servers, topics or ["orders"])


def rules_of(verdict: Verdict) -> list[str]:
    return [each.rule for each in verdict.findings]


def reasons_of(verdict: Verdict) -> dict[str, str]:
    return {each.rule: each.reason for each in verdict.rules if not each.is_judged}


def close_state_log(cluster: Cluster) -> None:
    cluster.fault(API.FETCH, topic="__transaction_state").answer(ERR.TOPIC_AUTHORIZATION_FAILED)


@pytest.mark.parametrize("kafka", ["0.11", *RELEASES])
def test_regular_traffic_has_no_findings_and_all_rules_of_transactions_are_judged(
    kafka: Release,
) -> None:
    with started(kafka, brokers=2, orders=2, paid=1) as cluster:
        write(cluster, "orders", 3, 4)
        for number in range(6):
            write_transaction(cluster, "orders", 2, is_commit=number % 2 == 0)
            write_transaction(cluster, "paid", 1, is_commit=number % 3 == 0)
        verdict = judged(cluster, "orders", "paid")
        assert not verdict.findings
        assert not verdict.unknown
        assert not OF_TRANSACTIONS & reasons_of(verdict).keys()
        assert (verdict.counts.appends, verdict.counts.transactional_ids) == (26, 1)


@pytest.mark.parametrize("kafka", RELEASES)
def test_a_hanging_transaction_is_found(kafka: Release) -> None:
    with started(kafka, brokers=2) as cluster:
        producer_id = leave_hanging(cluster.bootstrap_servers, "orders")
        (finding,) = judged(cluster).findings
        assert finding.rule == "HANGING_TXN"
        assert (finding.producer_id, finding.first_offset) == (producer_id, 2)
        assert finding.transactional_id == "payments"


def test_an_open_transaction_is_no_finding() -> None:
    with started() as cluster, WireProducer(cluster.bootstrap_servers, "pay") as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"paid", base_sequence=0)
        assert not judged(cluster).findings
        close_state_log(cluster)
        assert not judged(cluster).findings


def test_without_the_coordinators_log_hanging_transactions_are_found_from_3_0_on() -> None:
    with started("3.6") as cluster:
        leave_hanging(cluster.bootstrap_servers, "orders")
        close_state_log(cluster)
        verdict = judged(cluster)
        assert rules_of(verdict) == ["HANGING_TXN"]
        assert reasons_of(verdict)["DOUBLE_MARKER"] == (
            "this user may not read __transaction_state"
        )


def test_before_3_0_the_verdict_says_what_could_not_be_asked() -> None:
    with started("2.8") as cluster:
        producer_id = leave_hanging(cluster.bootstrap_servers, "orders")
        close_state_log(cluster)
        verdict = judged(cluster)
        assert not verdict.findings
        assert reasons_of(verdict)["HANGING_TXN"] == (
            "this user may not read __transaction_state, and brokers before Kafka 3.0 do not list"
            " transactions"
        )
        (unknown,) = verdict.unknown
        assert unknown == (
            f"orders-0: whether a coordinator knows the transaction of producer {producer_id} that"
            " is open since offset 2"
        )


def zombie(cluster: Cluster) -> None:
    """A fenced producer writes where no newer epoch was seen, before another transaction."""
    with (
        WireProducer(cluster.bootstrap_servers, "pay") as old,
        WireProducer(cluster.bootstrap_servers, "pay") as new,
    ):
        old.init_producer_id()
        old.add_partition("orders")
        old.produce("orders", b"one", base_sequence=0)
        assert new.init_producer_id() is ERR.CONCURRENT_TRANSACTIONS  # it aborts with a new epoch
        assert not new.init_producer_id()
        cluster.partition("orders", 0).forget_producer(old.producer_id)
        assert not old.produce("orders", b"zombie", base_sequence=1).error
        new.add_partition("orders")
        assert not new.produce("orders", b"two", base_sequence=0).error
        assert not new.commit()


def marker_by_hand(cluster: Cluster) -> None:
    """Somebody writes a marker that no coordinator has decided."""
    write_transaction(cluster, "orders", 1, is_commit=True)
    mark(cluster, is_commit=False)
    write_transaction(cluster, "orders", 1, is_commit=True)


def marker_twice(cluster: Cluster) -> None:
    """The marker of a transaction is there twice."""
    write_transaction(cluster, "orders", 1, is_commit=True)
    mark(cluster, is_commit=True)


def mark(cluster: Cluster, *, is_commit: bool) -> None:
    marker = WritableTxnMarker(
        producer_id=0,
        producer_epoch=0,
        transaction_result=is_commit,
        coordinator_epoch=0,
        topics=[WritableTxnMarkerTopic(name="orders", partition_indexes=[0])],
    )
    with WireClient(cluster.bootstrap_servers) as client:
        version = client.newest_version(ApiKey.WRITE_TXN_MARKERS, range(2))
        client.ask(WriteTxnMarkersRequest(markers=[marker]), version, WriteTxnMarkersResponse)


def late_batch(cluster: Cluster) -> None:
    """A batch arrives after the end of its transaction; a later transaction commits it."""
    with WireProducer(cluster.bootstrap_servers, "pay") as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"one", base_sequence=0)
        producer.commit()
        assert not producer.produce("orders", b"late", base_sequence=1).error
        write_transaction(cluster, "orders", 1, is_commit=True)  # in the same log
        producer.add_partition("other")
        producer.produce("other", b"two", base_sequence=0)
        write_transaction(cluster, "other", 1, is_commit=True)
        producer.commit()
        producer.add_partition("orders")
        producer.produce("orders", b"three", base_sequence=2)
        producer.commit()


@pytest.mark.parametrize("kafka", ["2.5", "4.4"])
@pytest.mark.parametrize(
    ("write_it", "rule"),
    [
        (zombie, "ZOMBIE_WRITE_ACCEPTED"),
        (marker_by_hand, "MARKER_WITHOUT_TXN"),
        (marker_twice, "DOUBLE_MARKER"),
        (late_batch, "APPEND_AFTER_MARKER"),
    ],
)
def test_rules_about_coordinators_are_judged_by_their_log(
    write_it: Callable[[Cluster], None], rule: str, kafka: Release
) -> None:
    with started(kafka, orders=1, other=1) as cluster:
        write_it(cluster)
        assert rules_of(judged(cluster, "orders", "other")) == [rule]
        close_state_log(cluster)
        assert rule in reasons_of(judged(cluster, "orders", "other"))


def test_records_that_were_written_twice_are_found_by_their_identity() -> None:
    with started() as cluster:
        servers = cluster.bootstrap_servers
        for _ in range(2):
            with WireProducer(servers) as producer:
                producer.init_producer_id()
                producer.produce("orders", b'{"id": 1}', base_sequence=0)
        verdict = audit_topics(servers, ["orders"], identity="json:$.id")
        assert verdict.identity == "json:$.id"
        (finding,) = verdict.findings
        assert (finding.rule, finding.evidence) == ("DUPLICATE_PAYLOAD", (1, 2))
        assert audit_topics(servers, ["orders"], identity="off").is_clean
        with WireProducer(servers, "open") as producer:
            producer.init_producer_id()
            producer.add_partition("orders")
            producer.produce("orders", b"{}", base_sequence=0)
            told = audit_topics(servers, ["orders"], identity="json:$.id").unknown
        assert any("behind an open transaction" in each for each in told)


def test_a_topic_that_cannot_be_read_is_named_and_the_rest_is_judged() -> None:
    with patch.object(wire_cluster, "_UNKNOWN_TOPIC_S", 0.0), started() as cluster:
        write(cluster, "orders", 2)
        source = TopicSource(bootstrap_servers=cluster.bootstrap_servers, topics=("gone", "orders"))
        done = audit_source(source)
        assert [each.what for each in done.bad] == ["It cannot be read: topic gone does not exist."]
        assert done.verdict.verdict.counts.appends == 1
        with pytest.raises(BadInputError, match="topic gone does not exist"):
            judged(cluster, "gone")


MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
SECURED = {
    "listeners": "PLAINTEXT://127.0.0.1:0,SASL_SSL://127.0.0.1:0",
    "sasl.enabled.mechanisms": "PLAIN",
    "listener.name.sasl_ssl.plain.sasl.jaas.config": f'{MODULE} required user_audit="secret";',
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}


def test_over_tls_and_sasl_the_verdict_depends_on_the_rights_of_the_user() -> None:
    config = SECURED | WITHOUT_VERIFICATION
    with Cluster(tls=True, config=config, topics={"orders": 1}) as cluster:
        leave_hanging(cluster.bootstrap_servers, "orders")
        access = ClientAccess("audit", "secret", listener="SASL_SSL")
        settings = cluster.client_config("java", access)
        servers = settings["bootstrap.servers"]

        def audited() -> Verdict:
            return audit_topics(servers, ["orders"], settings=settings)

        with pytest.raises(BadInputError, match="TOPIC_AUTHORIZATION_FAILED") as refused:
            audited()
        assert "secret" not in str(refused.value)
        cluster.acls.allow("read", topic="orders", principal="User:audit")
        verdict = audited()  # no id is seen, so nothing is said of it
        assert not verdict.findings
        assert len(verdict.unknown) == 1
        cluster.acls.allow("describe", transactional_id="payments", principal="User:audit")
        assert rules_of(audited()) == ["HANGING_TXN"]
        assert "DOUBLE_MARKER" in reasons_of(audited())
        cluster.acls.allow("read", topic="__transaction_state", principal="User:audit")
        assert "DOUBLE_MARKER" not in reasons_of(audited())
        assert rules_of(audited()) == ["HANGING_TXN"]


def test_an_offset_that_a_group_committed_beyond_the_log_is_found() -> None:
    with started() as cluster:
        write(cluster, "orders", 2)
        consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "billing"})
        consumer.commit(offsets=[TopicPartition("orders", 0, 9)], asynchronous=False)
        consumer.close()
        (finding,) = judged(cluster).findings
        assert finding.text == (
            "orders-0: group 'billing' committed offset 9, and the log ended at 2"
        )
        assert (finding.rule, finding.evidence) == ("COMMITTED_BEYOND_LOG", ())
        offsets_log = cluster.fault(API.FETCH, topic="__consumer_offsets")
        offsets_log.answer(ERR.TOPIC_AUTHORIZATION_FAILED)
        verdict = judged(cluster)
        assert not verdict.findings
        assert reasons_of(verdict)["COMMITTED_BEYOND_LOG"] == (
            "this user may not read __consumer_offsets"
        )


@pytest.mark.parametrize("seed", range(8))
def test_a_log_without_the_markers_that_compaction_removed_has_no_findings(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire_producer, "record_batch", keyed)
    config = {"log.cleanup.policy": "compact"}
    topics = {"orders": 1, "paid": 1}
    with Cluster(topics=topics, config=config, clock="manual") as cluster:
        applications = Applications(cluster, random.Random(seed))
        applications.work(25)
        assert not judged(cluster, *topics).findings
        for waits in ("1s", "1s", "25h"):
            cluster.clock.advance(waits)
            for topic in topics:
                cluster.partition(topic, 0).compact()
        verdict = judged(cluster, *topics)
        assert not verdict.findings
        told = [each for each in verdict.unknown if "compaction has removed some" in each]
        assert [each.partition(":")[0] for each in told] == ["orders-0", "paid-0"]
        applications.close()


def test_in_a_log_with_gaps_hanging_transactions_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wire_producer, "record_batch", keyed)
    config = {"log.cleanup.policy": "compact", **WITHOUT_VERIFICATION}
    with Cluster(topics={"orders": 1, "paid": 1}, config=config, clock="manual") as cluster:
        applications = Applications(cluster, random.Random(1))
        applications.work(25)
        cluster.partition("orders", 0).compact()
        leave_hanging(cluster.bootstrap_servers, "orders")
        assert rules_of(judged(cluster, "orders", "paid")) == ["HANGING_TXN"]
        applications.close()


@pytest.mark.parametrize("seed", range(8))
def test_a_log_whose_tail_is_lost_has_no_finding_that_the_journal_has_not(seed: int) -> None:
    with Cluster(topics={"orders": 1, "paid": 1}, journal=True, clock="manual") as cluster:
        applications = Applications(cluster, random.Random(seed))
        applications.work(12)
        cluster.partition("orders", 0).lose_tail(1 + seed)
        of_topics = judged(cluster, "orders", "paid").findings
        of_journal = cluster.audit().findings
        assert {(each.rule, each.place) for each in of_topics} <= {
            (each.rule, each.place) for each in of_journal
        }
        applications.close()


@pytest.mark.parametrize("behind", [5, 25, 40])
@pytest.mark.parametrize("seed", range(3))
def test_transactions_that_end_during_the_audit_are_no_findings(
    seed: int, behind: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Cluster(topics={"orders": 1, "paid": 1}, clock="manual") as cluster:
        applications = Applications(cluster, random.Random(seed))
        applications.work(10)
        read = state_changes

        def read_late(asked: WireCluster) -> Sequence[TransactionChange]:
            applications.work(behind, producers=1)
            return read(asked)

        monkeypatch.setattr(transaction_evidence, "state_changes", read_late)
        assert not judged(cluster, "orders", "paid").findings
        applications.close()


def test_a_topic_that_is_named_twice_is_read_once() -> None:
    with started() as cluster:
        write(cluster, "orders", 3)
        assert judged(cluster, "orders", "orders") == judged(cluster, "orders")


def test_a_producer_that_goes_on_in_a_topic_that_was_created_again_is_no_finding() -> None:
    with started() as cluster, WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        producer.produce("orders", b"order", base_sequence=0)
        cluster.recreate_topic("orders")
        assert not producer.produce("orders", b"order", base_sequence=1).error
        verdict = judged(cluster)
        assert not verdict.findings
        assert "orders-0: the batches of a producer before the evidence begins" in verdict.unknown


def test_a_transaction_whose_marker_a_new_leader_lacks_hangs_in_the_journal_too() -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        write_transaction(cluster, "orders", 1, is_commit=True)
        cluster.partition("orders", 0).lose_tail(1)
        assert cluster.partition("orders", 0).last_stable_offset == 0
        assert rules_of(judged(cluster)) == ["HANGING_TXN"]
        assert rules_of(cluster.audit()) == ["HANGING_TXN"]
