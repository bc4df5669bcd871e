"""Measurement of each figure: one function per group, the same for every competitor."""

import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Final

from bench import (
    audit_measurements,
    group_measurements,
    journal_measurements,
    loadgen,
    offset_measurements,
    produce_measurements,
    spark_measurements,
    stall_measurements,
    tls_measurements,
    transaction_measurements,
)
from bench.arena import Arena, warm
from bench.competitors import Competitor, Server
from bench.machine import resident_mib
from bench.measurement import Measurement, Sample, program

_MIB: Final = 1 << 20


def measure_start(arena: Arena, competitor: Competitor) -> Sample:
    """Start the process several times (real Kafka once a round); then let the last one idle."""
    del arena  # every start is a new process
    starts: list[float] = []
    idle_rss = 0.0
    for attempt in range(repeats := 1 if competitor.name == "kafka" else 3):
        with competitor.running({}) as server:
            starts.append(server.start_ms)
            if attempt == repeats - 1:
                time.sleep(1)
                idle_rss = resident_mib(server.process_id)
    return Sample({"start_ms": statistics.median(starts), "idle_rss": idle_rss})


def measure_fresh(arena: Arena, competitor: Competitor) -> Sample:
    """Make cluster after cluster inside one process, each up to its first Metadata answer."""
    del arena
    values = program("bench.fresh_cluster", competitor.name)["clusters"]
    return Sample({"fresh_ms": values["median_ms"], "fresh_max_ms": values["max_ms"]})


def measure_plugin(arena: Arena, competitor: Competitor) -> Sample:
    """Run pytest with the plugin and without it."""
    del arena, competitor
    values = program("bench.plugin_costs")["plugin"]
    return Sample(
        {"plugin_import_ms": values["import_ms"], "plugin_test_ms": values["each_test_ms"]}
    )


def measure_fetch(arena: Arena, competitor: Competitor) -> Sample:
    """Fetch answers of 1 MiB repeatedly from a filled partition."""
    server = arena.server(competitor)
    load: Mapping[str, float] = {"depth": 4, "t": 1.0, "max_bytes": _MIB, "seed": arena.seed}
    values: dict[str, float] = {}
    remarks: list[str] = []
    for kind, records, size, fill in (("17k", 160, 100, 64 * _MIB), ("1k", 1, 1_000, 16 * _MIB)):
        report = loadgen.run(server.address, "fetch", records=records, size=size, fill=fill, **load)
        values[f"fetch_{kind}_gb_s"] = report.bytes_per_s / 1e9
        if report.bytes_an_answer < 0.9 * _MIB:
            remarks.append(f"fetch: answers of {report.bytes_an_answer / 1024:.0f} KiB, not 1 MiB")
    return Sample(values, tuple(remarks))


def measure_clients(arena: Arena, competitor: Competitor) -> Sample:
    """Produce with confluent-kafka in bulk, then one by one, and consume these records."""
    server = arena.server(competitor)
    phases = program(
        "bench.clients", server.address, str(server.process_id), f"--seed={arena.seed}"
    )
    values: dict[str, float] = {}
    remarks: list[str] = []
    for name, phase in phases.items():
        messages, missing = phase["messages"], phase["missing"]
        if missing:
            share = missing / (messages + missing)
            remarks.append(f"{name}: {share:.0%} of the messages were missing")
            if name.startswith("consume"):
                continue  # the rate of a part is not the rate
        if name == "round_trip":
            values["client_round_trip_us"] = phase["round_trip_p50_us"]
            continue
        values[f"{name}_per_s"] = messages / phase["seconds"]
        values[f"{name}_cpu_us"] = phase["broker_cpu_s"] / messages * 1e6
    return Sample(values, tuple(remarks))


def measure_topics(arena: Arena, competitor: Competitor) -> Sample:
    """Produce to an empty broker and to one with 10,000 other partitions, alternately."""
    del arena  # the topics would stay in the way of what follows
    with warm(competitor, {}) as empty, warm(competitor, {}) as server:
        created = loadgen.run(
            server.address, "create", topic="crowd", topics=1_000, partitions=10, t=120
        )
        metadata = loadgen.run(server.address, "metadata", t=1.0)
        share = _crowded_share(empty, server)
        rss = resident_mib(server.process_id)
    values = {
        "metadata_ms": metadata.latency_p50_us / 1000,
        "crowded_share": share,
        "crowded_create_s": created.seconds,
        "crowded_rss": rss,
    }
    if competitor.name == "rdkafka-mock":
        return Sample(values, ("its topics have 4 partitions, not 10: it has no CreateTopics",))
    return Sample(values)


def _crowded_share(empty: Server, crowded: Server) -> float:
    """Return the median of pairs of short loads, because the speed of a shared processor varies."""
    shares: list[float] = []
    for turn in range(_PAIRS):
        pair = (empty, crowded) if turn % 2 else (crowded, empty)
        rates = {
            each.address: loadgen.run(each.address, "produce", **_PIPELINED_LOAD).requests_per_s
            for each in pair
        }
        shares.append(rates[crowded.address] / rates[empty.address])
    return statistics.median(shares)


_PAIRS: Final = 8
_PIPELINED_LOAD: Final[Mapping[str, float]] = {
    "depth": 256,
    "burst": 64,
    "records": 1,
    "size": 100,
    "t": 0.3,
}


MEASUREMENTS: Final[Sequence[Measurement]] = (
    Measurement(key="start", measure=measure_start),
    Measurement(
        key="fresh",
        measure=measure_fresh,
        not_for={"kafka": "it is no library", "kfake": "its library is for Go programs"},
    ),
    Measurement(
        key="plugin",
        measure=measure_plugin,
        not_for=dict.fromkeys(("kafka", "rdkafka-mock", "kfake"), "it has no plugin"),
        rounds_max={"mockbroker": 1},
    ),
    *produce_measurements.MEASUREMENTS,
    Measurement(key="fetch", measure=measure_fetch),
    Measurement(key="clients", measure=measure_clients),
    *tls_measurements.MEASUREMENTS,
    *transaction_measurements.MEASUREMENTS,
    *group_measurements.MEASUREMENTS,
    *offset_measurements.MEASUREMENTS,
    *journal_measurements.MEASUREMENTS,
    *audit_measurements.MEASUREMENTS,
    *spark_measurements.MEASUREMENTS,
    *stall_measurements.MEASUREMENTS,
    Measurement(key="topics", measure=measure_topics, rounds_max={"kafka": 1}),
)
"""All groups, in the order they are measured; `--only` selects by key."""
