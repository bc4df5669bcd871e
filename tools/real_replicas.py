"""Real brokers whose replicas a script controls: cut off, killed, started, with files lost.

Controllers have a process of their own (with ZooKeeper the last broker is the controller, and is
never killed), so that any broker can fail. Followers fetch through `ReplicationLinks`.
"""

import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tools import real_kafka
from tools.kafka_releases import (
    CONTROLLER_PORT_OFFSET,
    RealKafkaUnavailableError,
    broker_properties,
    fetch,
    release_of,
)
from tools.processes import await_ready, spawn, stop_processes
from tools.replica_views import Bounds, ReplicaOf, bounds_of, view_of
from tools.replication_links import ReplicationLinks

LISTENER_OFFSET: Final = 30
"""Replication listeners are on ports from here on above the first broker's."""
LINK_OFFSET: Final = 40
"""The links' ports, which brokers advertise to each other."""
CONTROLLER_ID: Final = 100
TIMEOUT_S: Final = 120.0
CHECKPOINT_S: Final = 45.0
"""A broker writes its log starts half a minute after its start, and then after an hour."""
ROUNDS: Final = 4
"""Requests of a follower after which it knows the high watermark, and its leader knows that."""
SETTINGS: Final[Mapping[str, str]] = {
    "replica.fetch.wait.max.ms": "40",
    "replica.fetch.backoff.ms": "200",
    "zookeeper.session.timeout.ms": "8000",
    "broker.session.timeout.ms": "8000",
    "broker.heartbeat.interval.ms": "1000",
    # A killed broker forgets its log start: only a controlled stop writes it.
    "log.flush.start.offset.checkpoint.interval.ms": "3600000",
}
"""Settings that let failures be noticed soon; no answer shows them."""
JVM: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx256M")


@dataclass(slots=True, kw_only=True)
class RealReplicas:
    """A running cluster; `start` and the other methods return when all brokers know the change."""

    directory: Path
    port: int
    links: ReplicationLinks
    commands: Mapping[int, Sequence[str]]
    brokers: dict[int, subprocess.Popen[bytes]] = field(
        default_factory=dict[int, subprocess.Popen[bytes]]
    )
    others: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])
    """ZooKeeper, or the controller."""
    away: set[int] = field(default_factory=set[int])
    """The brokers whose process does not run."""

    _started_s: dict[int, float] = field(default_factory=dict[int, float])

    @property
    def alive(self) -> list[int]:
        """The ids of the running brokers."""
        return sorted(broker for broker in self.brokers if broker not in self.away)

    @property
    def is_anybody_cut_off(self) -> bool:
        """True while a broker does not follow."""
        return bool(self.links.cut_off)

    def cut_off(self, broker: int) -> None:
        """Stop a broker from following any leader."""
        self.links.cut(broker)

    def follow(self, broker: int) -> None:
        """Let a broker follow again."""
        self.links.restore(broker)

    def leave(self, broker: int) -> None:
        """Do nothing: a broker that is cut off leaves the in-sync replicas by itself."""

    def kill(self, broker: int) -> None:
        """Kill a broker, and wait until the others have noticed."""
        self._end(broker, signal.SIGKILL)

    def stop(self, broker: int) -> None:
        """Stop a broker in a controlled way."""
        self._end(broker, signal.SIGTERM)

    def start(self, broker: int) -> None:
        """Start a broker that does not run, and wait until all know it."""
        self._spawn(broker)
        self.away.discard(broker)
        self._await(self._all_list_all, f"broker {broker} does not come back")

    def restore(self) -> None:
        """Start what is away, and let all brokers follow."""
        for broker in list(self.links.cut_off):
            self.follow(broker)
        for broker in sorted(self.away):
            self.start(broker)

    def folder(self, broker: int, topic: str, partition: int = 0) -> Path:
        """Return the directory of a replica."""
        return self.directory / f"broker-{broker}" / "data" / f"{topic}-{partition}"

    def lose_snapshots(self, broker: int, topic: str) -> None:
        """Delete the producer snapshots of a broker that is away."""
        assert broker in self.away, broker
        for path in self.folder(broker, topic).glob("*.snapshot"):
            path.unlink()

    def keep_snapshots(self, broker: int, topic: str) -> None:
        """Copy the present producer snapshots, for `restore_snapshots`."""
        kept = self.directory / f"kept-{broker}-{topic}"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        for path in self.folder(broker, topic).glob("*.snapshot"):
            shutil.copy(path, kept)

    def restore_snapshots(self, broker: int, topic: str) -> None:
        """Replace the producer snapshots of a broker that is away by those that were copied."""
        self.lose_snapshots(broker, topic)
        for path in (self.directory / f"kept-{broker}-{topic}").iterdir():
            shutil.copy(path, self.folder(broker, topic))

    def await_checkpoints(self) -> None:
        """Wait until every broker has written its only checkpoint of log starts."""
        for broker in self.alive:
            time.sleep(max(0.0, self._started_s[broker] + CHECKPOINT_S - time.monotonic()))

    def settle(self) -> None:
        """Wait until every replica that can follow has followed, and every broker knows it."""
        self._await(self._is_settled, "the replicas do not settle")
        views = view_of(self._port_of(self.alive[0])) or []
        self.links.await_rounds(
            {
                (broker, self.port + LINK_OFFSET + each.leader - 1)
                for each in views
                for broker in self._followers(each)
                if each.leader > 0
            },
            ROUNDS,
        )

    def start_all(self) -> None:
        """Start the brokers, the last one first, which makes it ZooKeeper's controller."""
        for broker in sorted(self.commands, reverse=True):
            self._spawn(broker)
            if broker == max(self.commands):
                self._await_start()
        self._await_start()

    def stop_all(self) -> None:
        """End all processes."""
        brokers = [self.brokers[broker] for broker in sorted(self.brokers)]
        stop_processes([*brokers, *self.others], grace_s=2.0)

    def _spawn(self, broker: int) -> None:
        self._started_s[broker] = time.monotonic()
        command = self.commands[broker]
        self.brokers[broker] = spawn(Path(command[-1]).parent, command)

    def _await_start(self) -> None:
        processes = [*self.others, *self.brokers.values()]
        await_ready(self._all_list_all, processes, TIMEOUT_S, self.directory)

    def _end(self, broker: int, by: signal.Signals) -> None:
        process = self.brokers[broker]
        process.send_signal(by)
        process.wait()
        self.away.add(broker)
        self._await(self._all_list_all, f"broker {broker} does not go")

    def _all_list_all(self) -> bool:
        count = len(self.alive)
        return all(
            real_kafka.brokers_listed(self._port_of(broker)) == count for broker in self.alive
        )

    def _is_settled(self) -> bool:
        first, *others = [view_of(self._port_of(broker)) for broker in self.alive]
        if first is None or any(view != first for view in others):
            return False
        bounds = {
            broker: bounds_of(
                self._port_of(broker), [each for each in first if broker in each.replicas]
            )
            for broker in self.alive
        }
        return all(self._is_partition_settled(each, bounds) for each in first)

    def _is_partition_settled(self, one: ReplicaOf, bounds: Mapping[int, Bounds]) -> bool:
        if one.leader not in self.alive:
            return one.leader < 0 and not set(one.in_sync) & set(self.alive)
        in_sync, following = set(one.in_sync), self._followers(one)
        if not {one.leader, *following} <= in_sync or in_sync & self.away:
            return False
        place = one.topic, one.partition
        led = bounds[one.leader].get(place)
        return led is not None and all(
            has is not None and has.end == led.end and has.start >= led.start
            for has in (bounds[broker].get(place) for broker in following)
        )

    def _port_of(self, broker: int) -> int:
        return self.port + broker - 1

    def _followers(self, one: ReplicaOf) -> list[int]:
        """Return the brokers that can follow a partition's leader now."""
        return [
            broker
            for broker in one.replicas
            if broker in self.alive and broker != one.leader and broker not in self.links.cut_off
        ]

    def _await(self, condition: Callable[[], bool], failure: str) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while not condition():
            if time.monotonic() > deadline:
                raise RealKafkaUnavailableError(failure)
            time.sleep(0.05)


@contextmanager
def start_replicas(
    directory: Path,
    port: int,
    *,
    version: str,
    brokers: int = 3,
    settings: Mapping[str, str] | None = None,
) -> Generator[RealReplicas]:
    """Run a cluster of brokers that can be cut off and killed one by one.

    Broker i is on `port` + i - 1, the controller 10 above, ZooKeeper 20 above.

    Raises: RealKafkaUnavailableError when the start fails.
    """
    release = release_of(version)
    java = real_kafka.java_command(directory, fetch(version), release)
    nodes = {
        broker: real_kafka.broker_node(
            directory,
            broker - 1,
            _properties(directory, port, broker, brokers=brokers, version=version)
            | dict(settings or {}),
        )
        for broker in range(1, brokers + 1)
    }
    ports = {port + LINK_OFFSET + index: port + LISTENER_OFFSET + index for index in range(brokers)}
    command = [*java, *JVM, "kafka.Kafka"]
    with ReplicationLinks(ports) as links:
        real = RealReplicas(
            directory=directory,
            port=port,
            links=links,
            commands={
                broker: [*command, str(node / "server.properties")]
                for broker, node in nodes.items()
            },
        )
        try:
            if release.uses_zookeeper:
                real.others.append(real_kafka.start_zookeeper(directory, port, java))
            else:
                controller = _controller_node(directory, port)
                _format([controller, *nodes.values()], java)
                properties = str(controller / "server.properties")
                real.others.append(spawn(controller, [*command, properties]))
            real.start_all()
            yield real
        finally:
            real.stop_all()


def _format(nodes: Sequence[Path], java: list[str]) -> None:
    for node in nodes:
        real_kafka.format_storage(node, java, {})


def _properties(
    directory: Path, port: int, broker: int, *, brokers: int, version: str
) -> dict[str, str]:
    """Return a broker's properties: those of recorded clusters, with replication over links."""
    index = broker - 1
    own = broker_properties(directory, port, index, brokers=brokers, version=version)
    main = f"PLAINTEXT://127.0.0.1:{port + index}"
    overrides = {
        "listeners": f"{main},REPLICATION://127.0.0.1:{port + LISTENER_OFFSET + index}",
        "advertised.listeners": f"{main},REPLICATION://127.0.0.1:{port + LINK_OFFSET + index}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,REPLICATION:PLAINTEXT",
        "inter.broker.listener.name": "REPLICATION",
        **SETTINGS,
    }
    if not release_of(version).uses_zookeeper:
        overrides["process.roles"] = "broker"
        overrides["listener.security.protocol.map"] += ",CONTROLLER:PLAINTEXT"
        overrides["controller.quorum.voters"] = _voters(port)
    return own | overrides


def _controller_node(directory: Path, port: int) -> Path:
    node = directory / "controller"
    node.mkdir(parents=True, exist_ok=True)
    properties = {
        "process.roles": "controller",
        "node.id": str(CONTROLLER_ID),
        "controller.quorum.voters": _voters(port),
        "controller.listener.names": "CONTROLLER",
        "listeners": f"CONTROLLER://127.0.0.1:{port + CONTROLLER_PORT_OFFSET}",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT",
        "log.dirs": str(node / "data"),
        "broker.session.timeout.ms": SETTINGS["broker.session.timeout.ms"],
    }
    real_kafka.write_properties(node / "server.properties", properties)
    return node


def _voters(port: int) -> str:
    return f"{CONTROLLER_ID}@127.0.0.1:{port + CONTROLLER_PORT_OFFSET}"
