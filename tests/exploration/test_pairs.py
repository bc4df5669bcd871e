"""Pairs of faults: what the first fault has made new comes first."""

import json

import pytest
from confluent_kafka import KafkaError, KafkaException, Message, Producer

from mockbroker import API, Cluster
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration import explore
from mockbroker.exploration.laboratory import Laboratory
from mockbroker.exploration.outcome import ExperimentOutcome
from mockbroker.exploration.pairs import Pairs, combined
from mockbroker.exploration.plan import planned
from mockbroker.exploration.programs import FunctionProgram
from mockbroker.exploration.rules import Rules
from mockbroker.scenario.reading import scenario_of
from tests.support.explored.producers import ORDERS, bill

pytestmark = pytest.mark.slow


def send_with_one_retry(cluster: ClusterHandle) -> None:
    failures: list[KafkaError] = []

    def on_delivery(error: KafkaError | None, _message: Message) -> None:
        failures.extend([] if error is None else [error])

    settings = {"message.send.max.retries": 1, "log_level": 0}
    producer = Producer(cluster.client_config("confluent", **settings))
    producer.produce("orders", b"order-1", on_delivery=on_delivery)
    assert producer.flush(10) == 0
    if failures:
        raise KafkaException(failures[0])


def test_what_one_fault_does_not_break_two_may_break() -> None:
    report = explore(
        send_with_one_retry,
        topics=ORDERS,
        only=["Produce *: the request is lost"],
        pairs="1m",
        repeats=1,
    )
    single, pair = report.outcomes
    assert single.kind == "survived"
    assert (pair.kind, pair.runs, pair.failed_runs) == ("stopped", 2, 2)
    assert [(each.point.number, each.effect) for each in pair.experiment.parts] == [
        (1, "the request is lost"),
        (2, "the request is lost"),
    ]
    assert (report.new_pair_count, report.known_pair_count) == (1, 0)


def test_calls_that_only_the_first_fault_makes_come_before_known_ones() -> None:
    rules = Rules(only=["EndTxn *: the answer is lost", "Produce *: the * is lost"])
    laboratory = Laboratory(
        FunctionProgram(bill), lambda: Cluster(topics=ORDERS, brokers=2), rules, learns=True
    )
    baseline = laboratory.run_without_faults()
    outcomes = [laboratory.run(each, is_drawn=False) for each in planned(baseline, rules, seed=0)]
    pairs = Pairs(baseline, outcomes, rules, seed=0)
    names = [each.name for each in pairs]
    assert len(names) == len(set(names)) == len(pairs.new) + pairs.known_count
    assert {each.point.number for each in pairs.new} == {2}
    assert pairs.known_count == 2
    assert all("Produce 1 of" in each.partition("; then EndTxn 1 of")[0] for each in names[-2:])


def test_a_pair_of_known_points_in_a_new_situation_is_tried_once() -> None:
    rules = Rules(only=["EndTxn 1*: the answer is lost", "Produce 1*: the * is lost"])
    laboratory = Laboratory(FunctionProgram(bill), lambda: Cluster(topics=ORDERS), rules)
    baseline = laboratory.run_without_faults()
    end = next(each for each in baseline.calls if each.point.api is API.END_TXN)
    again = (end._replace(around="after NOT_COORDINATOR"),)
    outcomes = [
        ExperimentOutcome(
            each, "survived", (), 0.1, learned=again if each.point.api is API.PRODUCE else ()
        )
        for each in planned(baseline, rules, seed=0)
    ]
    pairs = Pairs(baseline, outcomes, rules, seed=0)
    names = [each.name for each in pairs]
    assert len(names) == len(set(names)) == len(pairs.new) == 2
    assert pairs.known_count == 0


def test_both_experiments_of_a_pair_are_in_its_scenario() -> None:
    rules = Rules(
        only=["EndTxn 1*: its coordinator moves", "Produce 1*: another leader is elected"]
    )
    laboratory = Laboratory(FunctionProgram(bill), lambda: Cluster(topics=ORDERS, brokers=3), rules)
    produce, end = sorted(
        planned(laboratory.run_without_faults(), rules, seed=0), key=lambda each: each.point.api
    )
    pair = combined(produce, end)
    scenario = scenario_of(json.dumps(pair.scenario()), "pair.json")
    assert [each.document.id for each in scenario.faults] == pair.fault_ids
    assert [str(each) for each in scenario.steps][3:] == [
        "wait_for: {fault: explored-2, held: 1}",
        "move_coordinator: {transactional_id: billing}",
        "fault.release: {fault: explored-2}",
    ]
    outcome: ExperimentOutcome = laboratory.run(pair, is_drawn=False)
    assert outcome.kind == "survived", outcome.reasons
