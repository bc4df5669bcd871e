"""Real Apache Kafka on loopback, for golden recordings and for the bench: fetch, start, stop.

    python -m tools.real_kafka fetch 4.4.0
    python -m tools.real_kafka run DIR PORT [--brokers 3] [--version 2.4.1] [--set KEY=VALUE]

Needs Java (17 runs every release of the table) and, for the first fetch, Maven. The jars are kept
in `.cache/kafka/` of the repository, or in the directory that REAL_KAFKA_CACHE names.
"""

import argparse
import base64
import contextlib
import json
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final, Self, cast

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.wire import WireClient
from tools.kafka_releases import (
    CONTROLLER_PORT_OFFSET,
    RELEASES,
    ZOOKEEPER_PORT_OFFSET,
    RealKafkaUnavailableError,
    Release,
    allowed_keys,
    broker_properties,
    fetch,
    release_of,
)
from tools.processes import await_ready, spawn, stop_processes

JVM_OF_KAFKA: Final = (
    "-server",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
    "-Xms1G",
    "-Xmx1G",
)
"""JVM options of Kafka's own start script, for measurements."""
JVM_SMALL: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx512M")
"""Starts sooner and takes less memory; right for recordings."""

_OPENED_PACKAGES: Final = (
    "java.lang",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "sun.nio.ch",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RealKafka:
    """A running real Kafka; use it as a context manager, or call `stop`."""

    version: str
    directory: Path
    bootstrap_servers: str
    format_s: float
    """Seconds that formatting the storage took; 0 with ZooKeeper."""
    start_s: float
    """Seconds from the brokers' exec to the Metadata answer that lists them all."""
    processes: list[subprocess.Popen[bytes]] = field(repr=False)
    """All processes; the brokers' are the last ones, in the order of their ids."""

    @property
    def broker_process_ids(self) -> tuple[int, ...]:
        """The brokers' processes, without ZooKeeper's."""
        return tuple(process.pid for process in self.processes[-self._brokers :])

    @property
    def _brokers(self) -> int:
        return self.bootstrap_servers.count(",") + 1

    def restart(self, broker: int, timeout_s: float = 60.0) -> None:
        """Stop a broker with SIGTERM, start it again, and return once all brokers list all.

        Raises: RealKafkaUnavailableError when the start fails.
        """
        index = len(self.processes) - self._brokers + broker - 1
        stopped = self.processes[index]
        stop_processes([stopped])
        command = [str(argument) for argument in cast("list[str]", stopped.args)]
        self.processes[index] = spawn(Path(command[-1]).parent, command)
        port = int(self.bootstrap_servers.partition(",")[0].rpartition(":")[2])
        await_ready(
            lambda: _all_ready(port, self._brokers), self.processes, timeout_s, self.directory
        )

    def stop(self, *, wipe: bool = False) -> None:
        """Stop brokers, then ZooKeeper; with `wipe`, remove the working directory."""
        stop_processes(tuple(reversed(self.processes)))
        if wipe:
            shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start(
    directory: Path,
    port: int,
    *,
    version: str = "4.4.0",
    brokers: int = 1,
    settings: Mapping[str, str] | None = None,
    listeners: Sequence[str] = (),
    features: Mapping[str, int] | None = None,
    jvm: Sequence[str] = JVM_OF_KAFKA,
    timeout_s: float = 60.0,
) -> RealKafka:
    """Start a cluster in `directory` and return once every broker lists every broker.

    Broker ids count from 1. Broker i listens on `port` + i - 1, its controller 10 above, ZooKeeper
    on `port` + 20, more `listeners` 30, 40… above. `features` are levels at format time.

    Raises: RealKafkaUnavailableError when Java is absent, a port is taken, or the start fails.
    """
    release = release_of(version)
    libraries = fetch(version)
    if shutil.which("java") is None:
        raise RealKafkaUnavailableError("Java is needed to run real Kafka")
    directory = directory.absolute()
    _refuse_taken_ports(port, brokers, release)
    java = java_command(directory, libraries, release)
    own = partial(broker_properties, brokers=brokers, version=version, listeners=listeners)
    each = (own(directory, port, index) | dict(settings or {}) for index in range(brokers))
    nodes = [broker_node(directory, index, properties) for index, properties in enumerate(each)]
    processes: list[subprocess.Popen[bytes]] = []
    format_s = 0.0
    try:
        if release.uses_zookeeper:
            processes.append(start_zookeeper(directory, port, java))
        else:
            format_s = sum(format_storage(node, java, features or {}) for node in nodes)
        command = [*java, *jvm, *allowed_keys(settings or {})]
        start_s = _start_brokers(nodes, command, processes, port, timeout_s=timeout_s)
    except BaseException:
        stop_processes(tuple(reversed(processes)))
        raise
    return RealKafka(
        version=version,
        directory=directory,
        bootstrap_servers=",".join(f"127.0.0.1:{port + index}" for index in range(brokers)),
        format_s=format_s,
        start_s=start_s,
        processes=processes,
    )


def brokers_listed(port: int, timeout_s: float = 1.0) -> int:
    """Return the number of brokers in the metadata from a loopback port; 0 without a response."""
    try:
        with WireClient(f"127.0.0.1:{port}", timeout_s=timeout_s) as client:
            return len(client.ask(MetadataRequest(topics=[]), 1, MetadataResponse).brokers)
    except (OSError, DecodeError):
        return 0


def _all_ready(port: int, brokers: int) -> bool:
    return all(brokers_listed(port + index) >= brokers for index in range(brokers))


def _refuse_taken_ports(port: int, brokers: int, release: Release) -> None:
    """Refuse taken ports: another process there would answer the readiness check."""
    ports = [port + index for index in range(brokers)]
    if release.uses_zookeeper:
        ports.append(port + ZOOKEEPER_PORT_OFFSET)
    else:
        ports += [port + CONTROLLER_PORT_OFFSET + index for index in range(brokers)]
    for wanted in ports:
        if why := why_not_free(wanted):
            raise RealKafkaUnavailableError(f"port {wanted}: {why}")


def why_not_free(port: int) -> str | None:
    """Return why a loopback port cannot be bound; None if it can."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            return error.strerror or str(error)
    return None


def java_command(directory: Path, libraries: Path, release: Release) -> list[str]:
    """Return the start of a command that runs a class of Kafka."""
    directory.mkdir(parents=True, exist_ok=True)
    command = ["java", "-Djava.awt.headless=true"]
    command += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED_PACKAGES]
    command += ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
    command += ["-Dorg.slf4j.simpleLogger.showDateTime=true"]
    if release.uses_zookeeper:
        # Old brokers log through log4j 1. With SASL on, their ZooKeeper client fails on the way
        # today's Java prints addresses.
        log4j = directory / "log4j.properties"
        appender = "log4j.appender.out"
        log4j.write_text(
            f"log4j.rootLogger=WARN, out\n{appender}=org.apache.log4j.ConsoleAppender\n"
            f"{appender}.layout=org.apache.log4j.PatternLayout\n"
            f"{appender}.layout.ConversionPattern=%d %p %c %m%n\n"
        )
        command += [f"-Dlog4j.configuration=file:{log4j}", "-Dzookeeper.jmx.log4j.disable=true"]
        command += ["-Dzookeeper.sasl.client=false"]
        command += ["-Dzookeeper.sasl.client.canonicalize.hostname=false"]
    return [*command, "-cp", f"{libraries}/*"]


def start_zookeeper(directory: Path, port: int, java: list[str]) -> subprocess.Popen[bytes]:
    """Start ZooKeeper, and wait until it listens."""
    node = node_directory(directory, "zookeeper")
    client_port = port + ZOOKEEPER_PORT_OFFSET
    properties = {
        "dataDir": str(node / "data"),
        "clientPort": str(client_port),
        "clientPortAddress": "127.0.0.1",
        "maxClientCnxns": "0",
        "admin.enableServer": "false",
        "tickTime": "500",
    }
    write_properties(node / "zookeeper.properties", properties)
    main = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
    process = spawn(node, [*java, "-Xmx256M", main, str(node / "zookeeper.properties")])
    try:
        await_ready(lambda: _is_listening(client_port), [process], 20.0, directory)
    except BaseException:
        stop_processes([process])
        raise
    return process


def _is_listening(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
        return True
    return False


def _start_brokers(
    nodes: Sequence[Path],
    java: Sequence[str],
    processes: list[subprocess.Popen[bytes]],
    port: int,
    *,
    timeout_s: float,
) -> float:
    """Add every broker to the processes; return the seconds until all of them list all."""
    started = time.monotonic()
    for node in nodes:
        command = [*java, "kafka.Kafka", str(node / "server.properties")]
        processes.append(spawn(node, command))
    directory = nodes[0].parent
    await_ready(lambda: _all_ready(port, len(nodes)), processes, timeout_s, directory)
    return time.monotonic() - started


def format_storage(node: Path, java: list[str], features: Mapping[str, int]) -> float:
    """Format a KRaft node's storage unless an earlier run did; return the seconds it took."""
    if (node / "data" / "meta.properties").exists():
        return 0.0
    identity = uuid.uuid5(uuid.NAMESPACE_URL, str(node.parent)).bytes
    cluster_id = base64.urlsafe_b64encode(identity).decode().rstrip("=")
    command = [*java, "-XX:TieredStopAtLevel=1", "-Xmx256M", "kafka.tools.StorageTool", "format"]
    command += [f"--cluster-id={cluster_id}", "-c", str(node / "server.properties")]
    for name, level in features.items():
        command += ["--feature", f"{name}={level}"]
    started = time.monotonic()
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=node)
    if ran.returncode != 0:
        raise RealKafkaUnavailableError(f"formatting failed: {ran.stdout}{ran.stderr}")
    return time.monotonic() - started


def node_directory(directory: Path, name: str) -> Path:
    """Make a directory of a node."""
    node = directory / name
    node.mkdir(parents=True, exist_ok=True)
    return node


def broker_node(directory: Path, index: int, properties: Mapping[str, str]) -> Path:
    """Make a broker's directory with its properties."""
    node = node_directory(directory, f"broker-{index + 1}")
    write_properties(node / "server.properties", properties)
    return node


def write_properties(path: Path, properties: Mapping[str, str]) -> None:
    """Write a file of properties."""
    path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))


def _pairs(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        key, separator, value = text.partition("=")
        if not separator:
            raise SystemExit(f"{text}: KEY=VALUE is expected")
        yield key, value


def main(arguments: Sequence[str] | None = None) -> None:
    """Fetch a release, or run one in the foreground until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m tools.real_kafka", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="command", required=True)
    fetching = commands.add_parser("fetch", help="copy a release's jars into the cache")
    fetching.add_argument("version", choices=RELEASES)
    running = commands.add_parser("run", help="start, print one JSON line, stay until stopped")
    running.add_argument("directory", type=Path)
    running.add_argument("port", type=int)
    running.add_argument("--brokers", type=int, default=1)
    running.add_argument("--version", choices=RELEASES, default="4.4.0")
    running.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    running.add_argument("--feature", action="append", default=[], metavar="NAME=LEVEL")
    options = parser.parse_args(arguments)
    try:
        if options.command == "fetch":
            print(fetch(options.version))
        else:
            _run_until_stopped(options)
    except RealKafkaUnavailableError as error:
        raise SystemExit(str(error)) from None


def _run_until_stopped(options: argparse.Namespace) -> None:
    def leave(_number: int, _frame: FrameType | None) -> None:
        sys.exit(0)

    signal.signal(signal.SIGTERM, leave)
    features = {name: int(level) for name, level in _pairs(options.feature)}
    with start(
        options.directory,
        options.port,
        version=options.version,
        brokers=options.brokers,
        settings=dict(_pairs(options.set)),
        features=features,
    ) as kafka:
        ready = {
            "bootstrap_servers": kafka.bootstrap_servers,
            "version": kafka.version,
            "broker_process_ids": kafka.broker_process_ids,
            "format_s": round(kafka.format_s, 3),
            "start_s": round(kafka.start_s, 3),
        }
        print(json.dumps(ready), flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
