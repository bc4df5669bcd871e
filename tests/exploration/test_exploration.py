"""Explorations of programs with a real client: what breaks them is found, and nothing else."""

import json
from pathlib import Path

import pytest
from confluent_kafka import Producer

from mockbroker import Cluster
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration import explore
from mockbroker.journal.options import JournalOptions
from mockbroker.scenario import read_scenario, running
from tests.support.explored.producers import (
    ORDERS,
    bill,
    bill_until_it_works,
    send_with_idempotence,
    send_without_idempotence,
)

pytestmark = pytest.mark.slow

NETWORK = ["Produce*: the * is lost", "Produce*: it arrives twice"]


def test_the_duplicates_of_a_producer_without_idempotence_are_found() -> None:
    report = explore(send_without_idempotence, topics=ORDERS, only=NETWORK)
    assert {each.experiment.effect: each.kind for each in report.outcomes} == {
        "it arrives twice": "broken",
        "the answer is lost": "broken",
        "the request is lost": "survived",
    }
    assert all((each.runs, each.failed_runs) == (3, 3) for each in report.failures)
    with pytest.raises(AssertionError, match="offset 1 repeats offset 0"):
        report.assert_survived()


def test_a_producer_with_idempotence_survives() -> None:
    report = explore(send_with_idempotence, topics=ORDERS, only=NETWORK, same_topics=["orders"])
    assert {each.kind for each in report.outcomes} == {"survived"}
    assert len(report.outcomes) == 3
    report.assert_survived()


def test_a_loop_that_begins_again_after_a_commit_doubles_its_output() -> None:
    only = [f"EndTxn 1*: {effect}" for effect in ("the answer *", "its transaction times out")]
    report = explore(
        bill_until_it_works, topics=ORDERS, only=only, same_topics=["orders"], repeats=0
    )
    assert {each.experiment.effect: each.reasons for each in report.outcomes} == {
        "the answer is lost": (),
        "the answer is slow": (),
        "the answer never comes": ("orders: 0 records missing, 1 record too many",),
        "its transaction times out": (),
    }


def test_what_one_broker_has_acknowledged_may_be_lost() -> None:
    def send_to_one(cluster: ClusterHandle) -> None:
        producer = Producer(cluster.client_config("confluent", acks=1, log_level=2))
        producer.produce("orders", b"order-1")
        assert producer.flush(10) == 0

    only = ["Produce 1*: its acknowledged batch is lost"]
    (failure,) = explore(send_to_one, topics=ORDERS, only=only, repeats=0).failures
    assert "acknowledged to 'rdkafka'" in failure.reasons[0]


def test_a_transaction_survives_new_leaders_and_coordinators_at_each_of_its_steps() -> None:
    only = [
        "Produce *: its batch and the answer are lost",
        "Produce *: a leader without producer state is elected",
        "EndTxn *: its coordinator moves *",
    ]
    report = explore(
        bill, topics=ORDERS, brokers=2, only=only, same_topics=["orders"], repeats=0, jobs=2
    )
    assert [each.kind for each in report.outcomes] == ["survived"] * 4


def test_a_failure_is_repeated_from_its_scenario_file(tmp_path: Path) -> None:
    report = explore(send_without_idempotence, topics=ORDERS, only=NETWORK[:1], repeats=0)
    (file,) = report.write(tmp_path)
    scenario = read_scenario(file)
    with (
        pytest.raises(AssertionError, match="offset 1 repeats offset 0"),
        Cluster(**scenario.cluster_arguments()) as cluster,
        running(cluster, scenario),
    ):
        send_without_idempotence(cluster)


def test_the_journal_of_a_run_is_in_memory_and_must_hold_all_of_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="each run has one of its own, in memory"):
        explore(send_with_idempotence, journal=tmp_path / "journal")
    with pytest.raises(RuntimeError, match="entries of the journal were dropped"):
        explore(send_with_idempotence, journal=JournalOptions(entries_max=5))


def test_a_budget_that_is_used_leaves_experiments() -> None:
    report = explore(send_with_idempotence, topics=ORDERS, budget="0ms")
    assert not report.outcomes
    assert len(report.left) > 10
    assert json.dumps(report.as_json())
