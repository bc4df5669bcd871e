"""Runs of a program under an experiment, and their outcomes."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaException, Producer

from mockbroker import API, Cluster
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration import explore, plan
from mockbroker.exploration.effects import experiments_at
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.laboratory import difference
from mockbroker.exploration.points import SeenCall
from mockbroker.scenario import read_scenario, running
from tests.support.explored.producers import (
    ORDERS,
    bill,
    send_with_idempotence,
    send_without_idempotence,
)

pytestmark = pytest.mark.slow

AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}
NETWORK = ["Produce*: the * is lost", "Produce*: it arrives twice"]


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


def test_a_result_that_differs_from_the_run_without_faults_is_broken() -> None:
    def count(cluster: ClusterHandle) -> int:
        return len(cluster.records("orders"))

    report = explore(
        send_without_idempotence,
        topics=ORDERS,
        only=NETWORK[:1],
        assertions=["no-hanging-transactions"],
        same_result=count,
        repeats=0,
    )
    (failure,) = report.failures
    (reason,) = failure.reasons
    assert reason.endswith("count: it is 2, and without faults 1")
    assert failure.experiment.effect == "the answer is lost"


def test_a_result_that_cannot_be_read_is_told() -> None:
    def read(cluster: ClusterHandle) -> None:
        raise LookupError("no totals")

    with pytest.raises(AssertionError, match="read: LookupError: no totals"):
        explore(send_with_idempotence, topics=ORDERS, same_result=read)


@pytest.mark.parametrize(
    ("before", "found", "told"),
    [
        ("a\nb", "a\nc", "line 2 is 'c', and without faults 'b'"),
        ("a", "a\nb", "line 2 is 'b', and without faults missing"),
        ([1], [2], "it is [2], and without faults [1]"),
    ],
)
def test_a_difference_is_told_by_the_first_line(before: object, found: object, told: str) -> None:
    assert difference(before, found) == told


def test_what_the_cluster_cannot_do_is_refused_and_the_program_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def killing_broker_9(call: SeenCall, **about: Any) -> Iterator[Experiment]:
        for each in experiments_at(call, **about):
            if each.steps:
                yield replace(each, steps=(each.steps[0], {"kill": {"broker": 9}}))

    monkeypatch.setattr(plan, "experiments_at", killing_broker_9)
    report = explore(bill, topics=ORDERS, only=["EndTxn 1*: its transaction times out"])
    (refused,) = report.outcomes
    assert refused.kind == "refused"
    assert "kill: {broker: 9}: there is no broker 9" in refused.reasons[0]
    assert not report.failures


def test_a_right_is_revoked_by_an_acl_where_an_authorizer_decides() -> None:
    def bill_slowly(cluster: ClusterHandle) -> None:
        bill(cluster, commit_timeout_s=30)

    only = ["Produce 1*: its right is revoked", "EndTxn 1*: its right is revoked"]
    report = explore(bill_slowly, topics=ORDERS, only=only, config=AUTHORIZER, repeats=0)
    told = {each.experiment.point.api: each.reasons[0] for each in report.outcomes}
    assert "TOPIC_AUTHORIZATION_FAILED" in told[API.PRODUCE]
    assert "TRANSACTIONAL_ID_AUTHORIZATION_FAILED" in told[API.END_TXN]
    assert all("acls.deny" in each.experiment.steps[2] for each in report.outcomes)


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


def test_a_program_may_remove_the_faults_of_its_cluster() -> None:
    def reset_and_send(cluster: ClusterHandle) -> None:
        cluster.reset()
        send_with_idempotence(cluster)

    report = explore(reset_and_send, only=["Produce 1*: the answer is lost"])
    assert [each.kind for each in report.outcomes] == ["not reached"]
