"""The machine of a run, and the resource usage of processes, both as read from Linux."""

import os
import platform
import sys
import time
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")
_CPUCLOCK_SCHED: Final = 2


class Peak(NamedTuple):
    """A process, and the most memory that it has had."""

    command: str
    mib: float


def cpu_seconds(process_id: int) -> float:
    """Return the processor time that a process and all its threads have used so far.

    Linux makes the number of a process's own clock from its id (`clock_getcpuclockid`); it counts
    nanoseconds, where /proc/PID/stat has ticks of 10 ms.
    """
    return time.clock_gettime(~process_id << 3 | _CPUCLOCK_SCHED)


def cpu_seconds_of_tree(process_id: int) -> float:
    """Return the processor time of a process and of all that it has started, ended ones included.

    One that has ended counts in the process that waited for it.
    """
    ticks = sum(sum(parse_stat(stat).ticks) for stat in _stats_of_tree(process_id).values())
    return ticks / os.sysconf("SC_CLK_TCK")


def peaks_of_tree(process_id: int) -> dict[int, Peak]:
    """Return the command and the largest resident memory of all running processes of a tree."""
    peaks: dict[int, Peak] = {}
    for each in _stats_of_tree(process_id):
        folder = _PROC / str(each)
        with suppress(OSError):
            peak_kib = parse_resident_kib((folder / "status").read_text(), "VmHWM")
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            peaks[each] = Peak(command, peak_kib / 1024)
    return peaks


class Stat(NamedTuple):
    """Some fields of /proc/PID/stat."""

    parent: int
    ticks: tuple[int, ...]
    """Of the process in user and kernel mode, and those of its children that have ended."""


def parse_stat(stat: str) -> Stat:
    """Read a /proc/PID/stat file; the command in it may have spaces and parentheses."""
    fields = stat.rpartition(")")[2].split()
    return Stat(int(fields[1]), tuple(map(int, fields[11:15])))


def _stats_of_tree(process_id: int) -> dict[int, str]:
    """Return the stat files of a process and of its descendants."""
    stats: dict[int, str] = {}
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has ended meanwhile
                stats[int(folder.name)] = (folder / "stat").read_text()
    tree = {process_id}
    while more := {each for each, stat in stats.items() if parse_stat(stat).parent in tree} - tree:
        tree |= more
    return {each: stats[each] for each in tree if each in stats}


def resident_mib(process_id: int) -> float:
    """Return a process's resident memory in MiB."""
    return parse_resident_kib((_PROC / str(process_id) / "status").read_text()) / 1024


def parse_resident_kib(status: str, name: str = "VmRSS") -> int:
    """Return a line of a /proc/PID/status file; 0 when the process is gone."""
    for line in status.splitlines():
        if line.startswith(f"{name}:"):
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
