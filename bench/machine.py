"""The machine of a run, and the resource usage of processes, both as read from Linux."""

import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_CPUCLOCK_SCHED: Final = 2


def cpu_seconds(process_id: int) -> float:
    """Return the processor time that a process and all its threads have used so far.

    Linux makes the number of a process's own clock from its id (`clock_getcpuclockid`); it counts
    nanoseconds, where /proc/PID/stat has ticks of 10 ms.
    """
    return time.clock_gettime(~process_id << 3 | _CPUCLOCK_SCHED)


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
