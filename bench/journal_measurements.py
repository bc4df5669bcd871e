"""Cost of a journal: rates with a journal divided by rates without, measured alternately."""

import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final

from bench.arena import Arena
from bench.clients import ClientLoad
from bench.competitors import Competitor, Server, first_answer_of, started_process
from bench.measurement import Measurement, Sample

MODES: Final = ("off", "memory", "jsonl", "parquet")
_TURNS: Final = 5
_MESSAGES: Final = 1_200_000


def measure_journal(arena: Arena, competitor: Competitor) -> Sample:
    """Produce in bulk, to four brokers that differ in their journal alone."""
    del arena, competitor
    bulk: dict[str, list[float]] = {mode: [] for mode in MODES}
    for turn in range(_TURNS):
        for mode in MODES if turn % 2 == 0 else tuple(reversed(MODES)):
            with ExitStack() as running:
                server = _served(mode, running)
                bulk[mode].append(_bulk_per_s(server))
    values: dict[str, float] = {}
    for mode in MODES[1:]:
        values[f"journal_{mode}_bulk_share"] = max(bulk[mode]) / max(bulk["off"])
    return Sample(values)


def _bulk_per_s(server: Server) -> float:
    load = ClientLoad(server.address, server.process_id)
    phase = load.produce(load.new_topic(), _MESSAGES, 100)
    return phase.messages / phase.seconds


def _served(mode: str, running: ExitStack) -> Server:
    folder = running.enter_context(tempfile.TemporaryDirectory(prefix="bench-journal-"))
    command = [sys.executable, "-m", "bench.journal_server", mode, f"{folder}/journal"]
    began = time.perf_counter()
    process = running.enter_context(started_process(command))
    return first_answer_of(process, began)


MEASUREMENTS: Final[Sequence[Measurement]] = (
    Measurement(
        key="journal",
        measure=measure_journal,
        not_for=dict.fromkeys(("kafka", "rdkafka-mock", "kfake"), "it keeps no journal"),
        rounds_max={"mockbroker": 1},
        note="shares of the same broker's rates without a journal, the best of five turns each",
    ),
)
