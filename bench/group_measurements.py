"""Measurements of groups."""

import uuid
from collections.abc import Sequence
from typing import Final

from bench.arena import Arena
from bench.competitors import Competitor
from bench.measurement import Measurement, Sample, program
from bench.produce_measurements import java_program

_SHARED: Final = 1_000_000


def measure_members(arena: Arena, competitor: Competitor) -> Sample:
    """Let 500 raw members, each on its own connection, join a group and rebalance."""
    server = arena.server(competitor)
    took = program("bench.group_members", server.address)["members"]
    return Sample(
        {
            "group_gather_ms": took["gather_ms"],
            "group_rebalance_ms": took["rebalance_ms"],
            "group_rebalance_max_ms": took["rebalance_max_ms"],
        }
    )


def measure_consumer_members(arena: Arena, competitor: Competitor) -> Sample:
    """Let 500 raw members of the consumer protocol join, and compare heartbeats with classic."""
    server = arena.server(competitor)
    took = program("bench.consumer_members", server.address, str(server.process_id))["members"]
    share = took["consumer_heartbeat_us"] / took["classic_heartbeat_us"]
    return Sample(
        {
            "consumer_stable_ms": took["stable_ms"],
            "consumer_heartbeat_share": share,
        }
    )


def measure_share(arena: Arena, competitor: Competitor) -> Sample:
    """Read a million records of 100 bytes with Java's share consumer, which accepts them."""
    server = arena.server(competitor)
    topic = f"share-{uuid.uuid4().hex[:12]}"
    phases = java_program("ShareLoad", server.address, topic, str(arena.seed), str(_SHARED))
    return Sample({"share_per_s": phases["share"]["records_per_s"]})


MEASUREMENTS: Final[Sequence[Measurement]] = (
    Measurement(
        key="members",
        measure=measure_members,
        not_for={"rdkafka-mock": "its SyncGroup answers null where there has to be an assignment"},
        note="one Python process plays all 500 members; group.initial.rebalance.delay.ms is 0 for"
        " all who have it",
    ),
    Measurement(
        key="consumer-members",
        measure=measure_consumer_members,
        note="one Python process plays all members of the consumer protocol, each with a heartbeat"
        " every 250 ms",
    ),
    Measurement(
        key="share",
        measure=measure_share,
        not_for={
            "kfake": "it has no share groups",
            "rdkafka-mock": "it has no share groups",
        },
        note="one consumer of a share group, which accepts each batch by its next poll; the time"
        " begins with the first record",
    ),
)
"""The groups of figures about consumer groups; `--only` selects by key."""
