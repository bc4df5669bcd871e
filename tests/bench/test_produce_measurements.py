"""Measurements of Produce, without a broker."""

import json
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench import loadgen, produce_measurements
from bench.arena import BOUNDED_TOPIC, Arena
from bench.competitors import Server, Settings
from bench.errors import CannotMeasureError
from bench.figures import FIGURES
from bench.loadgen import LoadReport
from bench.produce_measurements import measure_java, measure_produce

PHASE = {"records_per_s": 1000.0, "latency_ms": 2.0, "failed": 0, "partitions": 12}


class Someone:
    """A competitor without a process."""

    name = "someone"
    title = "Someone"
    about = ""

    @contextmanager
    def running(self, settings: Settings) -> Generator[Server, None, None]:
        yield Server(address="127.0.0.1:1", process_id=1, start_ms=1.0)


@pytest.fixture(autouse=True)
def loads(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Put no load on anybody; note the flags."""
    flags_of_loads: list[dict[str, Any]] = []

    def run(_address: str, mode: str, **flags: Any) -> LoadReport:
        flags_of_loads.append({"mode": mode, **flags})
        return LoadReport(
            requests=1,
            records=1,
            seconds=1.0,
            errors=0,
            first_error=0,
            requests_per_s=3.0,
            bytes_per_s=5e6,
            latency_p50_us=7.0,
            latency_p99_us=9.0,
            bytes_an_answer=1.0,
            transactions_per_s=0.0,
            retries=0,
            operations_us=None,
        )

    monkeypatch.setattr(loadgen, "run", run)
    return flags_of_loads


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Sequence[str]]:
    """Let Java's producer answer with twice the same phase."""
    commands: list[Sequence[str]] = []

    def run(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 0, json.dumps({"plain": PHASE, "lz4": PHASE}))

    monkeypatch.setattr(produce_measurements, "fetch", lambda _version: tmp_path)
    monkeypatch.setattr(subprocess, "run", run)
    return commands


def test_produce_is_measured_in_rates_times_and_bytes(loads: list[dict[str, Any]]) -> None:
    with Arena(seed=23) as arena:
        values = measure_produce(arena, Someone()).values
    assert values["produce_1_per_s"] == 3.0
    assert (values["produce_1_p50_us"], values["produce_1_p99_us"]) == (7.0, 9.0)
    assert values["produce_640k_mb_s"] == 5.0
    assert set(values) - set(FIGURES) == {"produce_1_p99_us"}
    _warm_up, *measured = loads
    assert {load["seed"] for load in measured} == {23}
    assert {load["configs"] for load in measured} == {BOUNDED_TOPIC}
    assert {load["idempotent"] for load in measured} == {True}


def test_java_produces_plainly_and_compressed(java: list[Sequence[str]]) -> None:
    with Arena(seed=23) as arena:
        sample = measure_java(arena, Someone())
    assert sample.values == {
        "java_plain_per_s": 1000.0,
        "java_plain_latency_ms": 2.0,
        "java_lz4_per_s": 1000.0,
        "java_lz4_latency_ms": 2.0,
    }
    assert set(sample.values) <= set(FIGURES)
    assert sample.remarks == ()
    assert java[0][-1] == "23"


@pytest.mark.usefixtures("java")
def test_another_number_of_partitions_is_remarked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PHASE, "partitions", 4)
    with Arena() as arena:
        sample = measure_java(arena, Someone())
    assert set(sample.remarks) == {"java: its topic has 4 partitions"}


@pytest.mark.usefixtures("java")
def test_a_rate_with_failed_records_is_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PHASE, "failed", 3)
    with Arena() as arena, pytest.raises(CannotMeasureError, match="3 records of Java's producer"):
        measure_java(arena, Someone())
