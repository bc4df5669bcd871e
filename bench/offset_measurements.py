"""Measurements of offset requests, and of a group's first poll."""

from collections.abc import Sequence
from typing import Final

from bench.arena import Arena
from bench.competitors import Competitor
from bench.first_poll import CLIENTS
from bench.measurement import Measurement, Sample, program


def measure_first_poll(arena: Arena, competitor: Competitor) -> Sample:
    """Measure the first poll of the first group of a fresh cluster, with each of two clients."""
    del arena
    values: dict[str, float] = {}
    for client in CLIENTS:
        with competitor.running({}) as server:
            took = program("bench.first_poll", server.address, client)["polls"]
        key = f"first_poll_{client.replace('-', '_')}"
        values[f"{key}_ms"] = took["first_ms"]
        values[f"{key}_next_ms"] = took["next_ms"]
    return Sample(values)


def measure_offsets(arena: Arena, competitor: Competitor) -> Sample:
    """Commit 2,000 times a second on one connection, and request the end of a partition."""
    server = arena.server(competitor)
    took = program("bench.offset_requests", server.address)["offsets"]
    return Sample(
        {
            "commit_p99_ms": took["commit_p99_ms"],
            "commit_p50_us": took["commit_p50_us"],
            "list_offsets_p50_ms": took["list_p50_ms"],
        }
    )


MEASUREMENTS: Final[Sequence[Measurement]] = (
    Measurement(
        key="first-poll",
        measure=measure_first_poll,
        rounds_max={"kafka": 1},
        not_for={"rdkafka-mock": "kafka-python does not come to terms with it"},
        note="from subscribe() to the first record, on a cluster that had no group before; most of"
        " it is the client's",
    ),
    Measurement(key="offsets", measure=measure_offsets),
)
"""The groups of figures about offsets; `--only` selects by key."""
