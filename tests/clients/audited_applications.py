"""Run applications with failures in them, and audit what the brokers saw.

    python -m tests.clients.audited_applications flink connect streams spark

Each takes a minute or two and is no test: `docs/decisions/0044-…` has what was found.
"""

import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from confluent_kafka import Consumer, Producer

from mockbroker import Cluster, JournalOptions
from mockbroker.audit.local import audit_folder
from mockbroker.audit.verdict import Verdict
from tests.clients.support.deadline import wait_until
from tests.clients.support.java import jars, java_command, programs
from tests.clients.support.word_count import WordCount

LINES: Final = 300
PATIENCE_S: Final = 300.0
_OPENS: Final = (
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
)
_COPY: Final = """
import sys
from mockbroker.spark import session

servers, source, target, sink, checkpoint = sys.argv[1:]
rows = session(master="local[2]").readStream.format("kafka").option("subscribe", source)
rows = rows.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", 100)
rows = rows.option("kafka.bootstrap.servers", servers).load().select("value")
copied = rows.writeStream.format(sink).option("kafka.bootstrap.servers", servers)
copied = copied.option("topic", target).option("checkpointLocation", checkpoint)
copied.start().awaitTermination()
"""
"""A program that copies a topic, batch by batch."""


@contextmanager
def running(command: list[str], log: Path) -> Generator[subprocess.Popen[bytes]]:
    """Run a program, and kill it at the end."""
    with log.open("ab") as output, subprocess.Popen(command, stdout=output, stderr=output) as one:
        try:
            yield one
        finally:
            one.kill()


def write(cluster: Cluster, topic: str, first: int) -> None:
    """Write `LINES` lines."""
    producer = Producer(cluster.client_config("confluent", **{"client.id": "feeder"}))
    for number in range(first, first + LINES):
        producer.produce(topic, f"line-{number}")
    assert producer.flush(60) == 0


def wait_for(cluster: Cluster, topic: str, count: int) -> None:
    """Wait until committed readers get that many records of a topic."""
    settings = {"group.id": f"reader of {topic}", "isolation.level": "read_committed"}
    settings |= {"auto.offset.reset": "earliest", "client.id": "reader"}
    consumer = Consumer(cluster.client_config("confluent", **settings))
    consumer.subscribe([topic])
    deadline_s = time.monotonic() + PATIENCE_S
    while count:
        message = consumer.poll(PATIENCE_S)
        assert time.monotonic() < deadline_s, f"{count} records of {topic} are missing"
        count -= message is not None and message.error() is None
    consumer.close()


def flink(cluster: Cluster, folder: Path) -> None:
    """Copy with each naming strategy: tasks fail, the process is killed, and another one begins."""
    for turn, strategy in enumerate(("POOLING", "INCREMENTING")):
        topic = f"copies-{turn}"
        cluster.create_topic(topic, partitions=2)
        for attempt in range(2):
            write(cluster, "lines", LINES * (2 * turn + attempt))
            command = java_command(
                programs("flink-2.2.0"), "CopyJob", cluster.bootstrap_servers,
                *("lines", topic, f"flink-{turn}", strategy, str(LINES // 2)),
            )  # fmt: skip
            command[1:1] = _OPENS
            with running(command, folder / "flink.log"):
                wait_for(cluster, topic, LINES)


def streams(cluster: Cluster, folder: Path) -> None:
    """Count words by both protocols of groups; the process is killed, and another one goes on."""
    for turn, protocol in enumerate(("classic", "streams")):
        name = f"count-{protocol}"
        cluster.create_topic(name, partitions=2)
        application = WordCount(
            bootstrap_servers=cluster.bootstrap_servers,
            application_id=name,
            input="lines",
            output=name,
        )
        configs = {"group.protocol": protocol, "transaction.timeout.ms": "4000"}
        for attempt in range(2):
            write(cluster, "lines", LINES * (2 * turn + attempt))
            with application.running(folder / f"{name}-{attempt}", configs) as process:
                wait_for(cluster, name, LINES)
                process.kill()
                process.wait(PATIENCE_S)


def spark(cluster: Cluster, folder: Path) -> None:
    """Copy by Spark's sink and by ours; the driver is killed, and another one goes on."""
    for turn, sink in enumerate(("kafka", "kafka_eos")):
        topic = f"copies-{sink}"
        cluster.create_topic(topic, partitions=2)
        for attempt in range(2):
            write(cluster, "lines", LINES * (2 * turn + attempt))
            command = [sys.executable, "-c", _COPY, cluster.bootstrap_servers, "lines", topic, sink]
            with running([*command, str(folder / sink)], folder / "spark.log"):
                wait_for(cluster, topic, LINES)


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def connect(cluster: Cluster, folder: Path) -> None:
    """Write a file to a topic, mirror that, and read it to a file; a worker is killed meanwhile."""
    lines, port = folder / "lines.txt", free_port()
    lines.touch()
    settings = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "connect",
        "exactly.once.source.support": "enabled",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
        "offset.flush.interval.ms": "1000",
        "scheduled.rebalance.max.delay.ms": "1000",
        "listeners": f"http://127.0.0.1:{port}",
    }
    for name in ("offset", "config", "status"):
        settings |= {
            f"{name}.storage.topic": f"connect-{name}",
            f"{name}.storage.replication.factor": "1",
        }
    worker = folder / "worker.properties"
    worker.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    main = "org.apache.kafka.connect.cli.ConnectDistributed"
    command = java_command([jars("connect-4.3.1") / "*"], main, str(worker))
    for attempt in range(2):
        with running(command, folder / "connect.log"):
            for name, configs in connectors(cluster, folder).items():
                wait_until(partial(is_put, port, name, configs), timeout_s=PATIENCE_S)
            with lines.open("a") as file:
                file.writelines(f"line-{attempt}-{number}\n" for number in range(LINES))
            wait_for(cluster, "a.lines", LINES)


def connectors(cluster: Cluster, folder: Path) -> Mapping[str, Mapping[str, str]]:
    """Return the configs of connectors."""
    of_files, of_mirrors = "org.apache.kafka.connect.file", "org.apache.kafka.connect.mirror"
    as_bytes = "org.apache.kafka.connect.converters.ByteArrayConverter"
    return {
        "source": {
            "connector.class": f"{of_files}.FileStreamSourceConnector",
            "file": str(folder / "lines.txt"),
            "topic": "lines",
            "exactly.once.support": "required",
            "transaction.boundary": "poll",
        },
        "sink": {
            "connector.class": f"{of_files}.FileStreamSinkConnector",
            "file": str(folder / "out.txt"),
            "topics": "lines",
        },
        "mirror": {
            "connector.class": f"{of_mirrors}.MirrorSourceConnector",
            "source.cluster.alias": "a",
            "target.cluster.alias": "b",
            "source.cluster.bootstrap.servers": cluster.bootstrap_servers,
            "target.cluster.bootstrap.servers": cluster.bootstrap_servers,
            "source.consumer.isolation.level": "read_committed",
            "consumer.isolation.level": "read_committed",
            "topics": "lines",
            "exactly.once.support": "required",
            "replication.factor": "1",
            "offset-syncs.topic.replication.factor": "1",
            "sync.topic.acls.enabled": "false",
            "key.converter": as_bytes,
            "value.converter": as_bytes,
        },
    }


def is_put(port: int, name: str, configs: Mapping[str, str]) -> bool:
    """Give a worker the configs of a connector, and return whether it has taken them."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/connectors/{name}/config",
        json.dumps(configs).encode(),
        {"Content-Type": "application/json"},
        method="PUT",
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return bool(response.status)
    except OSError:  # it does not serve yet
        return False


APPLICATIONS: Final[Mapping[str, Callable[[Cluster, Path], None]]] = {
    "flink": flink,
    "connect": connect,
    "streams": streams,
    "spark": spark,
}


def audited(name: str) -> Verdict:
    """Run an application, and judge the journal of its brokers."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        options = JournalOptions(path=folder / "journal")
        with Cluster(brokers=3, topics={"lines": 2}, journal=options) as cluster:
            APPLICATIONS[name](cluster, folder)
        return audit_folder(folder / "journal")


if __name__ == "__main__":
    for application in sys.argv[1:]:
        verdict = audited(application)
        sys.stdout.write(f"{application}: {verdict.counts}\n")
        found = [each.text for each in verdict.findings]
        sys.stdout.writelines(f"  {each}\n" for each in (*found, *verdict.unknown))
