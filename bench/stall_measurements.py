"""Measurement of what the worst requests of all APIs and versions do to another client."""

from collections.abc import Sequence
from typing import Final

from bench.arena import Arena
from bench.competitors import Competitor
from bench.measurement import Measurement, Sample, program
from mockbroker.broker.api_table import API_TABLE
from mockbroker.protocol.codec import message_tree
from mockbroker.protocol.messages import request_type

_ONLY_US: Final = dict.fromkeys(("kafka", "rdkafka-mock", "kfake"), "its limits are not ours")
_PROGRAM_TIMEOUT_S: Final = 900


def measure_stalls(arena: Arena, competitor: Competitor) -> Sample:
    """Send the worst requests of each API to a new broker, beside another client."""
    del arena
    stalls: dict[str, float] = {}
    memory: dict[str, float] = {}
    for api_key, spec in API_TABLE.items():
        if not message_tree(request_type(api_key), spec.versions[-1]).members:
            continue
        with competitor.running({}) as server:
            arguments = (server.address, str(server.process_id), api_key.name)
            took = program("bench.stalls", *arguments, timeout_s=_PROGRAM_TIMEOUT_S)
        stalls |= took["stall_ms"]
        memory |= took["memory_mib"]
    longest, largest = max(stalls, key=stalls.__getitem__), max(memory, key=memory.__getitem__)
    return Sample(
        {"stall_ms": stalls[longest], "stall_mib": memory[largest]},
        (f"the longest stall is beside {longest}", f"most memory is taken by {largest}"),
    )


MEASUREMENTS: Final[Sequence[Measurement]] = (
    Measurement(
        key="stalls",
        measure=measure_stalls,
        not_for=_ONLY_US,
        rounds_max={"mockbroker": 1},
        is_long=True,
        note="20,000 elements in each array of each version of each API, beside a client that asks"
        " all the time",
    ),
)
"""The group of figures about hostile requests; `--only` selects by key."""
