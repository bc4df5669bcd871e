"""Explorations of programs with a real client: what breaks them is found, and nothing else."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import KafkaException, Producer

from mockbroker import API, Cluster
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration import exploration, explore
from mockbroker.exploration.experiment import Experiment, experiments_at
from mockbroker.exploration.exploration import Rules, ordered
from mockbroker.exploration.points import Point, SeenCall
from mockbroker.journal.options import JournalOptions
from mockbroker.scenario import read_scenario, running

pytestmark = pytest.mark.slow

NETWORK = ["Produce*: the * is lost", "Produce*: it arrives twice"]
ORDERS = {"orders": 1}


def send(cluster: ClusterHandle, *, enable_idempotence: bool) -> None:
    settings = {"enable.idempotence": enable_idempotence, "log_level": 2}
    producer = Producer(cluster.client_config("confluent", **settings))
    producer.produce("orders", b"order-1")
    assert producer.flush(10) == 0


def send_without_idempotence(cluster: ClusterHandle) -> None:
    send(cluster, enable_idempotence=False)


def send_with_idempotence(cluster: ClusterHandle) -> None:
    send(cluster, enable_idempotence=True)


def bill(cluster: ClusterHandle) -> None:
    settings = {"transactional.id": "billing", "log_level": 2}
    producer = Producer(cluster.client_config("confluent", **settings))
    producer.init_transactions(10)
    producer.begin_transaction()
    producer.produce("orders", b"paid")
    producer.commit_transaction(1)


def bill_until_it_works(cluster: ClusterHandle) -> None:
    """Begin again with a new producer after any error: its commit may have been applied."""
    for _ in range(3):
        try:
            return bill(cluster)
        except KafkaException:
            continue
    raise AssertionError("it never worked")


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
        "the answer never comes": ("orders: 0 records missing, 1 record too many",),
        "its transaction times out": (),
    }


def test_an_abort_that_arrives_in_the_next_transaction_breaks_it() -> None:
    def drop_and_bill(cluster: ClusterHandle) -> None:
        settings = {"transactional.id": "billing", "socket.timeout.ms": 500, "log_level": 2}
        producer = Producer(cluster.client_config("confluent", **settings))
        producer.init_transactions(10)
        for end in (producer.abort_transaction, producer.commit_transaction):
            producer.begin_transaction()
            for partition in (0, 1):
                producer.produce("orders", b"paid", partition=partition)
                assert producer.flush(10) == 0
            end(10)

    report = explore(
        drop_and_bill,
        topics={"orders": 2},
        kafka="2.8",
        only=["EndTxn *: it arrives in the next transaction"],
        same_topics=["orders"],
        repeats=0,
    )
    (failure,) = report.failures
    assert failure.kind == "broken"


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


def test_a_failure_of_the_program_is_tolerated_by_its_text() -> None:
    only = ["EndTxn 1*: another instance fences it"]
    stopped = explore(bill, topics=ORDERS, only=only, repeats=0)
    assert [each.kind for each in stopped.outcomes] == ["stopped"]
    tolerated = explore(bill, topics=ORDERS, only=only, tolerated=["KafkaException: *_FENCED*"])
    assert [each.kind for each in tolerated.outcomes] == ["tolerated"]
    tolerated.assert_survived()


def test_records_that_differ_from_the_run_without_faults_are_broken(tmp_path: Path) -> None:
    def forget(cluster: ClusterHandle) -> None:
        with suppress(KafkaException):
            bill(cluster)

    only = ["EndTxn 1*: another instance fences it"]
    report = explore(forget, topics=ORDERS, only=only, same_topics=["orders"], repeats=0)
    (failure,) = report.failures
    assert failure.reasons == ("orders: 1 record missing, 0 records too many",)
    scenario = read_scenario(report.write(tmp_path)[0])
    with (
        pytest.raises(AssertionError, match="paid"),
        Cluster(**scenario.cluster_arguments()) as cluster,
        running(cluster, scenario),
    ):
        forget(cluster)


def test_what_the_cluster_cannot_do_is_refused_and_the_program_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def killing_broker_9(call: SeenCall, *, broker_count: int) -> Iterator[Experiment]:
        for each in experiments_at(call, broker_count=broker_count):
            if each.steps:
                yield replace(each, steps=(each.steps[0], {"kill": {"broker": 9}}))

    monkeypatch.setattr(exploration, "experiments_at", killing_broker_9)
    report = explore(bill, topics=ORDERS, only=["EndTxn 1*: its transaction times out"])
    (refused,) = report.outcomes
    assert refused.kind == "refused"
    assert "kill: {broker: 9}: there is no broker 9" in refused.reasons[0]
    assert not report.failures


def test_a_failure_without_the_fault_says_so() -> None:
    runs = iter([True, False])

    def works_once(cluster: ClusterHandle) -> None:
        if not next(runs):
            raise ValueError("no luck")
        send_with_idempotence(cluster)

    only = ["Produce 1*: the answer is lost"]
    (failure,) = explore(works_once, topics=ORDERS, only=only, repeats=0).failures
    assert failure.reasons[0] == "ValueError: no luck"
    assert failure.reasons[1].startswith("this run did not reach the experiment")


def test_a_program_that_does_not_end_is_broken() -> None:
    def wait(cluster: ClusterHandle) -> None:
        settings = {"request.timeout.ms": 60_000, "log_level": 2}
        producer = Producer(cluster.client_config("confluent", **settings))
        producer.produce("orders", b"order-1")
        producer.flush()

    only = ["Produce 1*: the answer never comes"]
    report = explore(wait, topics=ORDERS, only=only, timeout="1s", repeats=0)
    assert [each.reasons for each in report.failures] == [("it did not end within 1 s",)]


def test_a_program_that_fails_without_a_fault_is_refused() -> None:
    def fails(_cluster: ClusterHandle) -> None:
        raise ValueError("no order")

    with pytest.raises(AssertionError, match="it fails without a fault: ValueError: no order"):
        explore(fails)
    with pytest.raises(ValueError, match="unknown option broker"):
        explore(fails, broker=3)
    with pytest.raises(ValueError, match="assert_committed needs transactional_id"):
        Rules(assertions=["committed"])


def test_a_program_may_remove_the_faults_of_its_cluster() -> None:
    def reset_and_send(cluster: ClusterHandle) -> None:
        cluster.reset()
        send_with_idempotence(cluster)

    report = explore(reset_and_send, only=["Produce 1*: the answer is lost"])
    assert [each.kind for each in report.outcomes] == ["not reached"]


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


def experiment(effect: str, number: int, *, needs_time: bool = False) -> Experiment:
    return Experiment(Point(API.PRODUCE, "a", None, number), effect, "", (), needs_time=needs_time)


def test_new_kinds_come_first_and_waits_last_and_a_seed_gives_the_same_order() -> None:
    found = [experiment(effect, number) for number in (1, 2) for effect in "abcdef"]
    found.insert(0, experiment("slow", 1, needs_time=True))
    plan = ordered(found, 7)
    assert [each.point.number for each in plan] == [1] * 6 + [2] * 6 + [1]
    assert plan[-1].needs_time
    assert ordered(found, 7) == plan
    assert any(ordered(found, seed) != plan for seed in range(5))
