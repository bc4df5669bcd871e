"""What leaders and coordinators add to the batches of topics."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from mockbroker import API, ERR, Cluster, Release
from mockbroker.audit.rules.rule_table import Need
from mockbroker.spark.auditing.source import TopicSource
from mockbroker.spark.topics.transaction_evidence import TransactionEvidence, transaction_evidence
from mockbroker.wire import WireProducer
from tests.support.hanging import WITHOUT_VERIFICATION, leave_hanging
from tests.support.process import PATIENCE_S
from tests.support.written_topics import write_transaction


def asked(cluster: Cluster, *topics: str) -> TransactionEvidence:
    return transaction_evidence(
        TopicSource(bootstrap_servers=cluster.bootstrap_servers, topics=topics)
    )


def close_state_log(cluster: Cluster) -> None:
    """Refuse to read the coordinators' log."""
    cluster.fault(API.FETCH, topic="__transaction_state").answer(ERR.TOPIC_AUTHORIZATION_FAILED)


@pytest.mark.parametrize("kafka", ["2.5", "4.4"])
def test_the_log_of_coordinators_has_states_and_history(kafka: Release) -> None:
    with Cluster(kafka=kafka, topics={"orders": 1, "empty": 2}) as cluster:
        write_transaction(cluster, "orders", 1, is_commit=True)
        evidence = asked(cluster, "orders", "empty", "gone")
        source = evidence.source(frozenset(), evidence.history_reason)
        assert {Need.STATES, Need.TRANSITIONS} <= source.facts
        assert evidence.asked == {("orders", 0): 2, ("empty", 0): 0, ("empty", 1): 0}
        (present,) = [run for run in evidence.runs if run.kind == "present"]
        assert (present.transactional_id, present.state_after) == ("orders-svc", "CompleteCommit")
        assert len(evidence.changes) == 4
        assert len(evidence.notes) == (2 if kafka == "2.5" else 1)


def test_without_that_log_coordinators_are_asked() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "payments") as producer,
    ):
        producer.init_producer_id()
        producer.add_partition("orders")
        close_state_log(cluster)
        evidence = asked(cluster, "orders")
        assert evidence.history_reason == "this user may not read __transaction_state"
        facts = evidence.source(frozenset(), "x").facts
        assert facts == {Need.APPENDS, Need.STATES, Need.OFFSETS}
        (present,) = [run for run in evidence.runs if run.kind == "present"]
        assert present.state_after == "Ongoing"
        assert json.loads(present.detail or "") == {"partitions": ["orders-0"]}


def test_before_3_0_states_are_unknown_without_that_log() -> None:
    with Cluster(kafka="2.8", topics={"orders": 1}) as cluster:
        write_transaction(cluster, "orders", 1, is_commit=True)
        close_state_log(cluster)
        source = asked(cluster, "orders").source(frozenset(), "x")
        assert dict(source.reasons)[Need.STATES] == (
            "this user may not read __transaction_state, and brokers before Kafka 3.0 do not list"
            " transactions"
        )


def test_a_transaction_whose_records_were_deleted_is_told_by_the_leader() -> None:
    with Cluster(topics={"orders": 1}, config=WITHOUT_VERIFICATION) as cluster:
        producer_id = leave_hanging(cluster.bootstrap_servers, "orders")
        cluster.partition("orders", 0).move_log_start(3)
        evidence = asked(cluster, "orders")
        (hidden,) = [run for run in evidence.of_topic("orders") if run.kind == "open"]
        assert (hidden.place, hidden.producer_id) == (("orders", 0), producer_id)
        assert hidden.base_offset == 2


def test_a_transaction_that_ends_and_is_deleted_while_the_leader_is_asked_is_not_open() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "payments") as producer,
        ThreadPoolExecutor() as threads,
    ):
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"paid", base_sequence=0)
        held = cluster.fault(API.LIST_OFFSETS, topic="orders").hold().on_call(2)  # the start
        asking = threads.submit(asked, cluster, "orders")
        held.wait_held(timeout=f"{PATIENCE_S}s")
        producer.commit()
        cluster.partition("orders", 0).move_log_start(2)
        held.release()
        evidence = asking.result(PATIENCE_S)
        assert not any(run.kind == "open" for run in evidence.runs)


def test_without_a_cluster_nothing_is_known() -> None:
    evidence = transaction_evidence(TopicSource(bootstrap_servers="127.0.0.1:1", topics=("o",)))
    assert "no broker answers" in evidence.states_reason
    assert evidence.runs == ()
