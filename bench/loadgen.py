"""Runner of the Go load generator, and parser of its report."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from bench.errors import CannotMeasureError
from bench.go_programs import build

_GRACE_S: Final = 90
"""Time to create and delete topics, in addition to the measured time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """The load generator's JSON line, with its own field names."""

    requests: int
    records: int
    seconds: float
    errors: int
    first_error: int
    requests_per_s: float
    bytes_per_s: float
    latency_p50_us: float
    latency_p99_us: float
    bytes_an_answer: float
    transactions_per_s: float
    retries: int
    operations_us: Mapping[str, float] | None
    """The median of each operation beside which transactions were measured, by name."""


def run(address: str, mode: str, **flags: str | float | bool) -> LoadReport:
    """Run a load on a broker and return the generator's report; flags are the generator's own.

    Raises: CannotMeasureError when it fails, or when the broker refused any request.
    """
    command = [str(build("loadgen")), "-address", address, "-mode", mode, *flag_arguments(flags)]
    timeout_s = float(flags.get("t", 5)) + _GRACE_S
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired:
        raise CannotMeasureError(f"{mode} load did not end in {timeout_s:.0f} s") from None
    if ran.returncode != 0:
        reason = ran.stderr.strip().splitlines() or ["no reason given"]
        raise CannotMeasureError(f"{mode} load: {reason[0]}")
    return parse_report(ran.stdout)


def flag_arguments(flags: Mapping[str, str | float | bool]) -> list[str]:
    """Return Go flags: `max_bytes=1` becomes `-max-bytes=1`."""
    return [
        f"-{name.replace('_', '-')}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in flags.items()
    ]


def parse_report(line: str) -> LoadReport:
    """Read the generator's JSON line.

    Raises: CannotMeasureError when requests were refused, because such a rate is meaningless.
    """
    values = json.loads(line)
    report = LoadReport(**{field.name: values[field.name] for field in fields(LoadReport)})
    if report.errors:
        raise CannotMeasureError(
            f"{report.errors} of {report.requests} requests were refused,"
            f" the first with error {report.first_error}"
        )
    return report
