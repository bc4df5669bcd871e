"""Runs of an exploration: several at once, in the order of the plan."""

import threading
import time
from itertools import count

import pytest

from mockbroker import API, Cluster
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration import explore
from mockbroker.exploration.done_runs import DoneRuns
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.laboratory import Laboratory
from mockbroker.exploration.outcome import ExperimentOutcome
from mockbroker.exploration.points import Point
from mockbroker.exploration.programs import FunctionProgram
from mockbroker.exploration.rules import Rules
from mockbroker.exploration.runs import Runs
from mockbroker.wire import WireProducer

pytestmark = pytest.mark.slow

PATIENCE_S = 10.0
ORDERS = {"orders": 1}
ERRORS = ["Produce 1*: it is answered with *"]


def send(cluster: ClusterHandle) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        assert not producer.produce("orders", b"order-1", base_sequence=0).error


def test_two_jobs_run_at_the_same_time_each_with_its_cluster() -> None:
    both = threading.Barrier(2)
    clusters: list[str] = []

    def send_together(cluster: ClusterHandle) -> None:
        clusters.append(cluster.bootstrap_servers)
        if len(clusters) > 1:
            both.wait(PATIENCE_S)
        send(cluster)

    only = ["Produce 1*: the * is lost"]
    report = explore(send_together, topics=ORDERS, only=only, jobs=2, repeats=0)
    assert len(report.outcomes) == 2
    assert len(set(clusters)) == 3


def test_jobs_do_not_change_the_plan_or_the_outcomes() -> None:
    one, three = (
        explore(send, topics=ORDERS, only=ERRORS, jobs=jobs, repeats=0, seed=7) for jobs in (1, 3)
    )
    assert len(one.outcomes) > 10
    assert [(each.experiment.name, each.kind) for each in one.outcomes] == [
        (each.experiment.name, each.kind) for each in three.outcomes
    ]


def test_an_error_of_one_job_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_args: object, **_kwargs: object) -> None:
        raise OSError("no such program")

    monkeypatch.setattr("mockbroker.exploration.laboratory.Laboratory.run", fails)
    with pytest.raises(OSError, match="no such program"):
        explore(send, topics=ORDERS, only=ERRORS, jobs=2)


def test_an_error_of_the_second_job_does_not_wait_for_the_plan() -> None:
    both = threading.Barrier(2)
    survived = ExperimentOutcome(
        Experiment(Point(API.PRODUCE, None, None, 1), "", "", ()), "survived", (), 0.0
    )

    def do(number: int) -> ExperimentOutcome:
        if number <= 2:
            both.wait(PATIENCE_S)
            if threading.current_thread().name.endswith("_1"):
                raise OSError("no such program")
        return survived

    laboratory = Laboratory(FunctionProgram(send), Cluster, Rules())
    runs = Runs(laboratory, DoneRuns(None, {}, resumes=False), jobs=2)
    ends_s = time.monotonic() + PATIENCE_S
    with pytest.raises(OSError, match="no such program"):
        runs.outcomes(count(1), ends_s, do)
    assert time.monotonic() < ends_s
