"""Cluster of a simulation: brokers without sockets, with topics, configs and a control."""

import random
from collections.abc import Callable, Generator
from typing import Final, TypeVar, cast

from mockbroker.broker.service import Service
from mockbroker.control.cluster_control import ClusterControl
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.server.event_loop import at_once
from mockbroker.server.wall_clock import WallClock
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, TRANSACTION_STATE
from tests.simulation.sharer import SESSION_MS, WORK
from tests.support.in_process import NOW_MS, Brokers

T = TypeVar("T")

WORK_PARTITIONS: Final = 3
_OF_NEWER_GROUPS: Final = {
    f"group.{kind}.{name}": value
    for kind in ("consumer", "share", "streams")
    for name, value in {
        "session.timeout.ms": str(SESSION_MS),
        "min.session.timeout.ms": str(SESSION_MS),
        "heartbeat.interval.ms": "1000",
        "min.heartbeat.interval.ms": "1000",
        "assignment.interval.ms": "0",
    }.items()
}


class _Control(ClusterControl):
    """Control of brokers without their own loop: work runs at once."""

    def _run(self, work: Callable[[], T], timeout_s: float | None = None) -> T:
        return work()

    def in_slices(self, work: Callable[[Service, WallClock], Generator[None, None, T]]) -> T:
        """Run the slices without a pause: nothing else runs meanwhile."""
        return self.time(lambda service, clock: at_once(work(service, clock)))


class SimulatedCluster(RunningCluster):
    """A cluster without sockets."""

    def __init__(self, brokers: Brokers) -> None:
        self.service = brokers.service
        self.state = brokers.state
        self.control = _Control(brokers.service, cast("WallClock", brokers.clock))
        self.listeners = list(brokers.listeners.values())


def make_brokers(
    seed: int,
    *,
    count: int,
    partitions: int,
    fast: bool,
    release: str,
    transaction_version: int | None,
) -> Brokers:
    """Make the brokers and topics of a seed."""
    made = Brokers(
        brokers=count,
        release=release,
        features=None
        if transaction_version is None
        else {"transaction.version": transaction_version},
        fast=fast,
        configs={
            "transaction.state.log.num.partitions": "2",
            "offsets.topic.num.partitions": "2",
            "transaction.state.log.replication.factor": str(count),
            "transaction.state.log.min.isr": "1",
            "offsets.topic.replication.factor": str(count),
            "mockbroker.seed": str(seed),
            "log.retention.ms": "-1",
            "offsets.retention.minutes": "1000000",
            "group.initial.rebalance.delay.ms": "0",
            **(_configs_of_newer_groups(seed, count) if release == "4.4" else {}),
        },
    )
    for name, number in (("orders", partitions), ("input", 1), (WORK, WORK_PARTITIONS)):
        made.state.create_topic(
            NewTopic(name=name, num_partitions=number, replication_factor=count)
        )
    for name in (TRANSACTION_STATE, CONSUMER_OFFSETS):
        made.state.create_topic(internal_topic(name, made.state.configs))
    made.state.run_pending(NOW_MS)
    return made


def _configs_of_newer_groups(seed: int, brokers: int) -> dict[str, str]:
    lots = random.Random(f"{seed} newer groups")
    return _OF_NEWER_GROUPS | {
        "errors.deadletterqueue.auto.create.topics.enable": "true",
        "group.share.initialize.retry.interval.ms": "1000",
        "group.share.min.record.lock.duration.ms": "1000",
        "share.coordinator.state.topic.num.partitions": "2",
        "share.coordinator.state.topic.replication.factor": str(brokers),
        "share.coordinator.state.topic.min.isr": "1",
        "group.streams.initial.rebalance.delay.ms": lots.choice(("0", "500")),
        "group.streams.num.standby.replicas": lots.choice(("0", "1")),
    }
