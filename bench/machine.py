"""What a run is measured on, and what a process has used: read from Linux's /proc."""

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")


def cpu_seconds(process_id: int) -> float:
    """Return the user and system time that a process has used so far, in steps of a clock tick."""
    stat = (_PROC / str(process_id) / "stat").read_text()
    return parse_cpu_ticks(stat) / os.sysconf("SC_CLK_TCK")


def parse_cpu_ticks(stat: str) -> int:
    """Return utime + stime of a /proc/PID/stat line, whose command may itself hold spaces."""
    fields = stat.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def resident_mib(process_id: int) -> float:
    """Return a process's resident memory in MiB."""
    return parse_resident_kib((_PROC / str(process_id) / "status").read_text()) / 1024


def parse_resident_kib(status: str) -> int:
    """Return VmRSS of a /proc/PID/status file; 0 when the process is gone."""
    for line in status.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def description() -> str:
    """Return one line: processor, cores, memory, load before the run, and Python."""
    cores = len(os.sched_getaffinity(0))
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return (
        f"{_processor()}, {cores} cores, {memory_gib:.0f} GiB, load {os.getloadavg()[0]:.2f} before"
        f" the run; {platform.system()} {platform.release()};"
        f" Python {sys.version.split()[0]} with {_event_loop()}"
    )


def _processor() -> str:
    for line in (_PROC / "cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return " ".join(line.partition(":")[2].split())
    return platform.machine()


def _event_loop() -> str:
    try:
        return f"uvloop {version('uvloop')}"
    except PackageNotFoundError:
        return "asyncio's own loop (uvloop is not installed)"
