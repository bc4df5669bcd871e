"""Seeded runs of queries into the sink, each of which is audited.

    python -m tests.spark.sink.prove --runs 1000 --seed 1
    python -m tests.spark.sink.prove --runs 50 --kafka 4.4.0
    python -m tests.spark.sink.prove --runs 20 --spark 'local[2,3]'

Tasks fail and die, copies of them are late, drivers die between any two requests or go on beside
their successors, requests and answers are lost or late, coordinators and leaders move, and
transactions expire between two batches. At the end every record is visible once, and no
transaction is open.
"""

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from mockbroker import Cluster
from mockbroker.cli.text_table import write_line
from mockbroker.events.logging import configure
from mockbroker.journal.record_identity import RecordIdentity
from mockbroker.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    TopicRequest,
)
from mockbroker.spark.auditing.visible_records import read_visible
from mockbroker.wire.cluster import TopicIdPartition, WireCluster
from tests.support.sink_queries import SparkDriver, SparkRun
from tests.support.sink_runs import (
    CannotFinishError,
    Disturbances,
    SinkRun,
    Target,
    options_of,
)
from tests.support.wire_faults import WireFaults
from tools import real_kafka

TOPIC: Final = "copy"
CONTROL: Final = "control"
PARTITIONS: Final = 3
BROKERS: Final = 3
PREFIX: Final = "copier"
IDENTITY: Final = RecordIdentity("json", "id")
STRUCK: Final[Mapping[str, str]] = {
    "tasks that failed": "own code fails",
    "tasks that died": r"task \d, .*: dies|a task dies",
    "killed executors": "an executor is killed",
    "copies of tasks": "a half of its rows|another copy starts",
    "drivers that died": r"driver \d.*(: dies|dies before)|the driver is killed",
    "drivers that went on beside a successor": "driver.* goes on",
    "lost requests": r"\(\d+\) is lost",
    "late requests": "arrives late",
    "lost answers": "the answer is lost",
    "errors": "a retriable error|a fatal error",
    "moved coordinators": "the coordinator of",
    "moved leaders": "another broker leads",
    "killed brokers": "broker . is killed",
    "expiries": "transactions expire",
}
"""What strikes, and how the story of a run tells it."""
_EXPIRY: Final = "16m"
_LOSS: Final = "is visible in part"
_PORT: Final = 19_980


class MockDisturbances(Disturbances):
    """Coordinators and leaders that move, brokers that are killed, and transactions that expire."""

    def __init__(self, cluster: Cluster) -> None:
        """Take the cluster."""
        self._cluster: Final = cluster
        self._killed: int | None = None

    def between_requests(self, faults: WireFaults, random: Random) -> None:
        """Move something, in one of thirty cases."""
        if random.random() > 1 / 30:
            return
        if self._killed is not None:
            self.end()
            return
        what = random.choice(("coordinator", "leader", "control topic", "broker"))
        if what == "broker":
            self._killed = random.randint(1, BROKERS)
            faults.tell(f"broker {self._killed} is killed")
            self._cluster.kill(self._killed)
        elif what == "leader":
            partition = random.randrange(PARTITIONS)
            faults.tell(f"another broker leads {TOPIC}-{partition}")
            self._cluster.partition(TOPIC, partition).elect()
        elif faults.transactional_ids:
            chosen = random.choice(faults.transactional_ids)
            faults.tell(f"the coordinator of {chosen} moves")
            self._cluster.move_coordinator(chosen)

    def between_steps(self, faults: WireFaults, random: Random) -> None:
        """Let transactions expire, in one of ten cases."""
        if random.random() < 0.1:
            faults.tell("all open transactions expire")
            self._cluster.clock.advance(_EXPIRY)

    def end(self) -> None:
        """Start the broker that was killed."""
        if self._killed is not None:
            self._cluster.start(self._killed)
            self._killed = None


class Outcome(NamedTuple):
    """What became of a run; `why` is empty if it kept the promise."""

    seed: int
    why: str
    story: Sequence[str]

    def __str__(self) -> str:
        """Return the plan as it went."""
        return "\n  ".join([f"seed {self.seed}: {self.why}", *self.story])


def run_on_mockbroker(seed: int) -> Outcome:
    """Run a query against a new cluster, and audit it."""
    with Cluster(brokers=BROKERS, topics={TOPIC: PARTITIONS}, journal=True, seed=seed) as cluster:
        target = Target(cluster.bootstrap_servers, TOPIC, PREFIX, CONTROL)
        run = SinkRun(seed, target, MockDisturbances(cluster))
        why = _why_not(run, target) or _findings(cluster)
    return Outcome(seed, why, run.faults.story)


def run_with_spark(driver: SparkDriver, folder: Path, seed: int) -> Outcome:
    """Run a query of Spark against a new cluster, and audit it."""
    with Cluster(brokers=BROKERS, topics={TOPIC: PARTITIONS}, journal=True, seed=seed) as cluster:
        target = Target(cluster.bootstrap_servers, TOPIC, PREFIX, CONTROL)
        run = SparkRun(seed, driver, cluster, options_of(target))
        try:
            run.run(folder / str(seed))
        except AssertionError as error:
            return Outcome(seed, str(error), run.story)
        why = wrong_in(target, run.ids, run.story) or _findings(cluster)
    return Outcome(seed, why, run.story)


def _findings(cluster: Cluster) -> str:
    return "; ".join(each.text for each in cluster.audit(identity=str(IDENTITY)).findings)


def run_on_kafka(bootstrap_servers: str, name: str, seed: int) -> Outcome:
    """Run a query with its own topics against a cluster, and read what came of it."""
    target = Target(bootstrap_servers, f"{name}-{seed}", f"{name}-{seed}", f"{name}-{seed}-control")
    with WireCluster(bootstrap_servers) as cluster:
        cluster.create_topic(target.topic, PARTITIONS)
    run = SinkRun(seed, target, Disturbances())
    return Outcome(seed, _why_not(run, target), run.faults.story)


def struck(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Count what struck in runs."""
    text = "\n".join(line for each in outcomes for line in each.story)
    return {name: len(re.findall(pattern, text)) for name, pattern in STRUCK.items()}


def _why_not(run: SinkRun, target: Target) -> str:
    try:
        run.run()
    except CannotFinishError as error:
        return str(error)
    return wrong_in(target, run.ids, run.faults.story)


def wrong_in(target: Target, ids: Sequence[int], story: Sequence[str]) -> str:
    """Say what is wrong: nothing, if every record is visible once."""
    if still := _open_transactions(target):
        return f"open transactions: {', '.join(still)}"
    found = read_visible(target.bootstrap_servers, target.topic, identity=IDENTITY)
    seen = Counter(int(each.record_id) for each in found)
    wanted = Counter(ids)
    if seen != wanted:
        return f"lost {sorted(wanted - seen)}, doubled or foreign {sorted(seen - wanted)}"
    return next((f"a false report: {line}" for line in story if _LOSS in line), "")


def _open_transactions(target: Target) -> list[str]:
    """Name the producers whose transactions the leaders see open, hanging ones included."""
    found: list[str] = []
    with WireCluster(target.bootstrap_servers) as cluster:
        names = (target.topic, target.control_topic)
        for each in [part for name in names for part in cluster.topic(name).partitions]:
            wanted = TopicRequest(name=each.topic, partition_indexes=[each.partition])
            request = DescribeProducersRequest(topics=[wanted])
            answer = cluster.retry(partial(_asked, cluster, each, request))
            (partition,) = answer.topics[0].partitions
            found += [
                f"producer {one.producer_id} in {each.topic}-{each.partition}"
                for one in partition.active_producers
                if one.current_txn_start_offset >= 0
            ]
    return found


def _asked(
    cluster: WireCluster, partition: TopicIdPartition, request: DescribeProducersRequest
) -> DescribeProducersResponse:
    leader = cluster.leader(partition)
    return leader.ask_newest(request, range(1), DescribeProducersResponse)


@contextmanager
def _runner(kafka: str | None, master: str | None) -> Generator[Callable[[int], Outcome]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if kafka is not None:
            started = real_kafka.start(folder, _PORT, version=kafka, jvm=real_kafka.JVM_SMALL)
            running = stack.enter_context(started)
            yield partial(run_on_kafka, running.bootstrap_servers, "proof")
        elif master is not None:
            log = stack.enter_context(Path(folder, "log").open("wb"))
            driver = stack.enter_context(SparkDriver(master, log))
            yield partial(run_with_spark, driver, folder)
        else:
            yield run_on_mockbroker


def main(words: Sequence[str] | None = None) -> int:
    """Run as many queries as asked for, and print those that break the promise."""
    parser = argparse.ArgumentParser(prog="python -m tests.spark.sink.prove", description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first run")
    parser.add_argument("--kafka", metavar="RELEASE", help="real Kafka instead of mockbroker")
    parser.add_argument("--spark", metavar="MASTER", help="queries of Spark: local[2,3]")
    given = parser.parse_args(words)
    configure(level="error")
    begun_s = time.monotonic()
    outcomes: list[Outcome] = []
    with _runner(given.kafka, given.spark) as run:
        for seed in range(given.seed, given.seed + given.runs):
            outcomes.append(run(seed))
            if outcomes[-1].why:
                write_line(str(outcomes[-1]))
    failed = sum(bool(each.why) for each in outcomes)
    counts = ", ".join(f"{count:,} {name}" for name, count in struck(outcomes).items() if count)
    write_line(f"{given.runs} runs in {time.monotonic() - begun_s:.0f} s: {failed} failed")
    write_line(f"struck by {counts}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
