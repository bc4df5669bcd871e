"""The measured brokers: mockbroker, real Kafka, librdkafka mock cluster, kfake; and the floor."""

import contextlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from bench.errors import CannotMeasureError
from bench.go_programs import ROOT, build
from tools import real_kafka
from tools.kafka_releases import CONTROLLER_PORT_OFFSET, RealKafkaUnavailableError
from tools.processes import stop_processes

KAFKA_VERSION: Final = "4.4.0"
US: Final = "mockbroker"
FLOOR: Final = "floor"
_PORTS: Final = range(19500, 19590)
_START_TIMEOUT_S: Final = 20.0
_NO_BYTECODE: Final = "PYTHONDONTWRITEBYTECODE"

Settings = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running broker."""

    address: str
    process_id: int
    start_ms: float
    """From the process's exec to its first Metadata answer."""

    @property
    def port(self) -> int:
        """The port of the address."""
        return int(self.address.rpartition(":")[2])


class Competitor(Protocol):
    """A broker to measure."""

    @property
    def name(self) -> str:
        """The name on the command line and in the JSON."""
        ...

    @property
    def title(self) -> str:
        """The name in the table, with the version."""
        ...

    @property
    def about(self) -> str:
        """Its capabilities and limits, as far as they explain the figures."""
        ...

    def running(self, settings: Settings) -> contextlib.AbstractContextManager[Server]:
        """Run one broker with those of Kafka's settings that it supports; stop it at the end.

        Raises: CannotMeasureError when something is missing or it does not start.
        """
        ...


class Mockbroker:
    """`mockbroker serve` in its own process, with the Python that runs the bench."""

    name = US
    title = US
    about = "keeps everything in memory; one process, one core"

    @contextlib.contextmanager
    def running(self, settings: Settings) -> Generator[Server, None, None]:
        """Run `mockbroker serve` with one broker."""
        command = [sys.executable, "-m", "mockbroker", "serve", "--port", "0", "--json"]
        for key, value in settings.items():
            command += ["-c", f"{key}={value}"]
        with _process(command) as (process, started):
            ready = json.loads(_first_line(process))
            yield _answering(process, started, str(ready["bootstrap_servers"]))


class Floor:
    """The least that any broker costs on this machine, in front of a mockbroker."""

    name = FLOOR
    title = "the floor"
    about = (
        "a Go program that reads frames and answers each Produce with the same success; it decodes"
        " no batch, checks nothing and keeps nothing; mockbroker answers everything else for it"
    )

    @contextlib.contextmanager
    def running(self, settings: Settings) -> Generator[Server, None, None]:
        """Run a mockbroker, and the floor in front of it."""
        program = build("floor")
        with (
            Mockbroker().running(settings) as upstream,
            _process([str(program), "-upstream", upstream.address]) as (process, started),
        ):
            yield _answering(process, started, _first_line(process))


class RealKafka:
    """Apache Kafka: one combined node with its own defaults and its own JVM options."""

    name = "kafka"
    title = f"Kafka {KAFKA_VERSION}"
    about = (
        "writes to files, by way of the page cache; its own defaults and JVM options, several"
        " cores; retention runs on a timer, not when the size is reached; its storage is"
        " formatted before the clock of its start"
    )

    @contextlib.contextmanager
    def running(self, settings: Settings) -> Generator[Server, None, None]:
        """Run one broker in a new directory; formatting its storage is not part of the start."""
        known = {key: value for key, value in settings.items() if not key.startswith("mockbroker.")}
        with tempfile.TemporaryDirectory(prefix="bench-kafka-") as directory:
            port = free_port(CONTROLLER_PORT_OFFSET)
            try:
                kafka = real_kafka.start(
                    Path(directory) / "kafka", port, version=KAFKA_VERSION, settings=known
                )
            except RealKafkaUnavailableError as error:
                raise CannotMeasureError(str(error)) from None
            with kafka:
                yield Server(
                    address=kafka.bootstrap_servers,
                    process_id=kafka.broker_process_ids[0],
                    start_ms=kafka.start_s * 1000,
                )


class RdkafkaMock:
    """librdkafka's mock cluster, as it ships in confluent-kafka, in a Python process of its own."""

    name = "rdkafka-mock"
    about = (
        "keeps the last 5 MiB or 100,000 messages of a partition; checks no checksum, and no"
        " sequence without a transactional id; has no CreateTopics, no DeleteTopics and no"
        " settings; one core; its memory and start are those of a Python process around it"
    )

    @property
    def title(self) -> str:
        """The name in the table, with librdkafka's version."""
        try:
            from confluent_kafka import libversion
        except ImportError:
            return "rdkafka mock"
        return f"rdkafka mock {libversion()[0]}"

    @contextlib.contextmanager
    def running(self, settings: Settings) -> Generator[Server, None, None]:
        """Run the mock cluster with one broker."""
        with _process([sys.executable, "-m", "bench.rdkafka_mock"]) as (process, started):
            yield _answering(process, started, _first_line(process))


class Kfake:
    """franz-go's fake cluster."""

    name = "kfake"
    title = "kfake"
    about = (
        "keeps everything in memory; retention runs on a timer, not when the size is reached;"
        " several cores"
    )
    _RETENTION_CHECK: Final = "log.retention.check.interval.ms"

    @contextlib.contextmanager
    def running(self, settings: Settings) -> Generator[Server, None, None]:
        """Run kfake with one broker."""
        port = free_port()
        command = [str(build("kfake")), "-port", str(port)]
        if self._RETENTION_CHECK in settings:
            command += ["-cleaner-backoff-ms", settings[self._RETENTION_CHECK]]
        with _process(command) as (process, started):
            yield _answering(process, started, f"127.0.0.1:{port}")


def everyone() -> Sequence[Competitor]:
    """Return all competitors, us first."""
    return (Mockbroker(), Floor(), RealKafka(), RdkafkaMock(), Kfake())


def environment() -> dict[str, str]:
    """Return the environment of the processes that are measured.

    Python may cache its bytecode there: an installed package comes with it, and without it every
    start would compile every module again.
    """
    return {name: value for name, value in os.environ.items() if name != _NO_BYTECODE}


@contextlib.contextmanager
def started_process(command: Sequence[str]) -> Generator[subprocess.Popen[bytes], None, None]:
    """Run a program that prints its address when it listens; stop it at the end."""
    with _process(command) as (process, _):
        yield process


def first_answer_of(process: subprocess.Popen[bytes], began: float) -> Server:
    """Wait for the address that a program prints, and for its first answer.

    Raises: CannotMeasureError when it does not come.
    """
    return _answering(process, began, _first_line(process))


@contextlib.contextmanager
def _process(
    command: Sequence[str],
) -> Generator[tuple[subprocess.Popen[bytes], float], None, None]:
    """Run a process that is stopped at the end; its stderr explains a failed start."""
    with tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
            env=environment(),
        )
        try:
            yield process, started
        except CannotMeasureError as error:
            if process.poll() is None:
                raise
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines() or ["no output"]
            raise CannotMeasureError(f"{error}: {lines[-1]}") from None
        finally:
            stop_processes([process])
            process.communicate()  # closes the pipes


def _first_line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        if not selector.select(_START_TIMEOUT_S):
            raise CannotMeasureError(f"it said nothing for {_START_TIMEOUT_S:.0f} s")
    line = process.stdout.readline().decode().strip()
    if not line:
        process.wait(_START_TIMEOUT_S)
        raise CannotMeasureError("it ended instead of serving")
    return line


def _answering(process: subprocess.Popen[bytes], started: float, address: str) -> Server:
    port = int(address.rpartition(":")[2])
    while real_kafka.brokers_listed(port) < 1:
        if process.poll() is not None:
            raise CannotMeasureError("it ended instead of serving")
        if time.perf_counter() - started > _START_TIMEOUT_S:
            raise CannotMeasureError("it answers no Metadata request")
        time.sleep(0.001)
    start_ms = (time.perf_counter() - started) * 1000
    return Server(address=f"127.0.0.1:{port}", process_id=process.pid, start_ms=start_ms)


def free_port(*also_offsets: int) -> int:
    """Return a port of the bench's range that is free, and free `also_offsets` above.

    Raises: CannotMeasureError when there is none.
    """
    for port in _PORTS:
        if not any(real_kafka.why_not_free(port + offset) for offset in (0, *also_offsets)):
            return port
    raise CannotMeasureError(f"no free port from {_PORTS.start} to {_PORTS.stop - 1}")
