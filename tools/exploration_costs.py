"""Measure what an exploration costs: a run under it, and two jobs instead of one.

    python -m tools.exploration_costs [RUNS]

Runs of both kinds alternate, so that a busy machine slows down both. The fault-free time of a
program is that on a cluster of its own, with its start. A run under an exploration has a fault
that changes nothing: what a client waits for after a fault is its own. Times are lower quartiles:
librdkafka waits for 50 ms or for 500 ms before it connects, at random. Single runs stay on one
processor: that threads move between two virtual ones takes longer than what is measured.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import Final

from confluent_kafka import Producer

from mockbroker import Cluster
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration import explore
from mockbroker.exploration.experiment import FAULT, Experiment
from mockbroker.exploration.laboratory import Laboratory
from mockbroker.exploration.programs import FunctionProgram
from mockbroker.exploration.rules import Rules
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.wire import WireProducer

TOPICS: Final = {"orders": 1}
RUNS: Final = 50
LIMITS: Final = {"confluent-kafka": 1.3, "the wire client": 2.0}
JOBS_MIN: Final = 1.7


def send_with_confluent(cluster: ClusterHandle) -> None:
    """Commit a transaction of 20 records."""
    settings = {"transactional.id": "billing", "log_level": 0}
    producer = Producer(cluster.client_config("confluent", **settings))
    producer.init_transactions(10)
    producer.begin_transaction()
    for number in range(20):
        producer.produce("orders", b"order-%d" % number)
    producer.commit_transaction(10)


def send_with_wire(cluster: ClusterHandle) -> None:
    """Send 20 records, one by one."""
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        for number in range(20):
            producer.produce("orders", b"order", base_sequence=number)


def ratio(program: Callable[[ClusterHandle], object], runs: int) -> tuple[float, float]:
    """Return the time of a run, and that under an exploration as a multiple of it."""
    laboratory = Laboratory(FunctionProgram(program), lambda: Cluster(topics=TOPICS), Rules())
    baseline = laboratory.run_without_faults()
    point = next(each.point for each in baseline.calls if each.point.api is ApiKey.PRODUCE)
    fault = {"id": FAULT, "match": point.match(), "effect": {"observe": True}}
    experiment = Experiment(point, "nothing happens", "", (fault,))
    alone: list[float] = []
    explored: list[float] = []
    for _ in range(runs):
        begun_s = time.perf_counter()
        with Cluster(topics=TOPICS) as cluster:
            program(cluster)
        alone.append(time.perf_counter() - begun_s)
        begun_s = time.perf_counter()
        assert laboratory.run(experiment, is_drawn=True).kind == "survived"
        explored.append(time.perf_counter() - begun_s)
    return _usual(alone), _usual(explored) / _usual(alone)


@contextmanager
def on_one_processor() -> Iterator[None]:
    """Keep this process on one processor, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _usual(times: list[float]) -> float:
    return quantiles(times, n=4)[0]


def jobs_ratio(runs: int) -> float:
    """Return how much faster two jobs are than one."""
    took: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(max(runs // 10, 1)):
        for jobs, times in took.items():
            begun_s = time.perf_counter()
            explore(
                send_with_confluent,
                topics=TOPICS,
                only=["Produce *: it is answered with *", "EndTxn *: it is answered with *"],
                repeats=0,
                jobs=jobs,
            )
            times.append(time.perf_counter() - begun_s)
    return median(took[1]) / median(took[2])


def main() -> None:
    """Print the figures with their limits."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    for name, program in zip(LIMITS, (send_with_confluent, send_with_wire), strict=True):
        with on_one_processor():
            alone_s, times = ratio(program, runs)
        told = f"{alone_s * 1000:.0f} ms alone, {times:.2f} x under an exploration"
        print(f"{name}: {told} (at most {LIMITS[name]})")
    print(f"two jobs: {jobs_ratio(runs):.2f} x one (at least {JOBS_MIN})")


if __name__ == "__main__":
    main()
