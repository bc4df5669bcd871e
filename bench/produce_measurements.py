"""Measurements of Produce: raw requests, beside the floor of the machine; a Java producer."""

import json
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bench import loadgen
from bench.arena import BOUNDED_TOPIC, Arena
from bench.competitors import KAFKA_VERSION, Competitor
from bench.errors import CannotMeasureError
from bench.go_programs import ROOT
from bench.measurement import Measurement, Sample
from tools.kafka_releases import RealKafkaUnavailableError, fetch

_SECONDS: Final = 1.0
_PARTITIONS: Final = 4
_LOADS: Final[Mapping[str, Mapping[str, float | bool]]] = {
    "produce_1_per_s": {"depth": 256, "records": 1, "size": 100},
    "produce_1_p50_us": {"depth": 1, "records": 1, "size": 100},
    "produce_15_mb_s": {"depth": 64, "records": 15, "size": 100},
    "produce_150_mb_s": {"depth": 64, "records": 150, "size": 100},
    "produce_text_mb_s": {"depth": 64, "records": 150, "size": 100, "text": True},
    "produce_640k_mb_s": {"depth": 4, "records": 1, "size": 655_360},
}
"""One connection, one request in each write; counts and sizes are means."""
_JAVA_PARTITIONS: Final = 12
_JAVA_TIMEOUT_S: Final = 120


def measure_produce(arena: Arena, competitor: Competitor) -> Sample:
    """Send requests that vary, idempotently, over one connection to topics that keep little."""
    server = arena.server(competitor)
    values: dict[str, float] = {}
    for key, load in _LOADS.items():
        report = loadgen.run(
            server.address,
            "produce",
            **load,
            idempotent=True,
            partitions=_PARTITIONS,
            configs=BOUNDED_TOPIC,
            seed=arena.seed,
            t=_SECONDS,
        )
        if key.endswith("_p50_us"):
            values[key] = report.latency_p50_us
            values[key.replace("p50", "p99")] = report.latency_p99_us
        elif key.endswith("_mb_s"):
            values[key] = report.bytes_per_s / 1e6
        else:
            values[key] = report.requests_per_s
    return Sample(values)


def measure_java(arena: Arena, competitor: Competitor) -> Sample:
    """Produce to 12 partitions with Java's producer and its defaults, then compressed with lz4."""
    server = arena.server(competitor)
    prefix = f"java-{uuid.uuid4().hex[:12]}"
    loadgen.run(
        server.address, "create", topic=prefix, partitions=_JAVA_PARTITIONS, configs=BOUNDED_TOPIC
    )
    phases = java_producer(server.address, f"{prefix}-0", arena.seed)
    loadgen.run(server.address, "delete", topic=prefix)
    values: dict[str, float] = {}
    remarks: list[str] = []
    for compression, phase in phases.items():
        if phase["failed"]:
            raise CannotMeasureError(f"{phase['failed']:.0f} records of Java's producer failed")
        values[f"java_{compression}_per_s"] = phase["records_per_s"]
        values[f"java_{compression}_latency_ms"] = phase["latency_ms"]
        if phase["partitions"] != _JAVA_PARTITIONS:
            remarks.append(f"java: its topic has {phase['partitions']:.0f} partitions")
    return Sample(values, tuple(remarks))


def java_program(name: str, *arguments: str) -> dict[str, dict[str, float]]:
    """Run a program of bench/java on Kafka's own jars, and return the JSON object it prints.

    Raises: CannotMeasureError when there is no Java, or the program fails.
    """
    try:
        jars = fetch(KAFKA_VERSION)
    except RealKafkaUnavailableError as error:
        raise CannotMeasureError(str(error)) from None
    source = ROOT / "bench" / "java" / f"{name}.java"
    command = ["java", "-Xmx512M", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
    command += ["-cp", f"{jars}/*", str(source), *arguments]
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=_JAVA_TIMEOUT_S, check=False
        )
    except FileNotFoundError:
        raise CannotMeasureError(f"Java is needed to run {name}") from None
    except subprocess.TimeoutExpired:
        raise CannotMeasureError(f"{name} did not end in {_JAVA_TIMEOUT_S} s") from None
    if ran.returncode != 0:
        lines = ran.stderr.strip().splitlines() or ["no reason given"]
        raise CannotMeasureError(f"{name}: {lines[0]}")
    phases: dict[str, dict[str, float]] = json.loads(ran.stdout)
    return phases


def java_producer(
    address: str, topic: str, seed: int, properties: Path | None = None
) -> dict[str, dict[str, float]]:
    """Run Java's producer with its defaults, unless a file has more settings.

    Raises: CannotMeasureError when there is no Java, or the program fails.
    """
    more = () if properties is None else (str(properties),)
    return java_program("ProducerLoad", address, topic, str(seed), *more)


MEASUREMENTS: Final[Sequence[Measurement]] = (
    Measurement(
        key="produce",
        measure=measure_produce,
        has_floor=True,
        note="one connection, idempotent; the requests differ in keys, values, counts of records,"
        " headers, timestamps, compression and partitions, as bench/loadgen says; values are"
        " random bytes, except in the row of text",
    ),
    Measurement(
        key="java",
        measure=measure_java,
        not_for={"rdkafka-mock": f"the Java client of {KAFKA_VERSION} misreads its answers"},
        note="the mean latency is that of a producer that sends as fast as it can: most of it is"
        " the wait in the producer's buffer",
    ),
)
"""The groups of figures about Produce; `--only` selects by key."""
