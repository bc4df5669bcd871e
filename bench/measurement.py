"""A measurement, and its parts."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from bench import loadgen
from bench.arena import Arena
from bench.competitors import Competitor, Server, environment
from bench.errors import CannotMeasureError
from bench.go_programs import ROOT
from bench.loadgen import LoadReport
from bench.machine import cpu_seconds

_PROGRAM_TIMEOUT_S: Final = 240


@dataclass(frozen=True, slots=True)
class Sample:
    """Result of one round of one competitor: figures by key, and remarks for the report's notes."""

    values: Mapping[str, float]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A group of figures that are measured together."""

    key: str
    measure: Callable[[Arena, Competitor], Sample]
    not_for: Mapping[str, str] = field(default_factory=dict[str, str])
    """Competitors without the measured feature, with the reason."""
    rounds_max: Mapping[str, int] = field(default_factory=dict[str, int])
    """Competitors whose rounds are too long for more."""
    has_floor: bool = False
    """True if the floor can be measured too, which answers nothing but Produce."""
    note: str = ""
    """Notes for readers of the figures."""
    is_long: bool = False
    """True if it takes minutes; then it runs only if it is named."""


def loaded(server: Server, mode: str, **flags: str | float | bool) -> tuple[LoadReport, float]:
    """Put load on a broker; return the report and the broker's CPU seconds, set-up included."""
    before = cpu_seconds(server.process_id)
    report = loadgen.run(server.address, mode, **flags)
    return report, cpu_seconds(server.process_id) - before


def program(
    module: str, *arguments: str, timeout_s: float = _PROGRAM_TIMEOUT_S
) -> dict[str, dict[str, float]]:
    """Run one of the bench's own Python programs and return the JSON object it prints."""
    command = [sys.executable, "-m", module, *arguments]
    try:
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            cwd=ROOT,
            env=environment(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotMeasureError(f"{module} did not end in {timeout_s:.0f} s") from None
    if ran.returncode != 0:
        lines = ran.stderr.strip().splitlines() or ["no reason given"]
        raise CannotMeasureError(f"{module}: {lines[-1]}")
    parsed: dict[str, dict[str, float]] = json.loads(ran.stdout)
    return parsed
