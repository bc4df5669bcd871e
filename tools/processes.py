"""Processes of real Kafka: start, wait until they are ready, stop."""

import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.kafka_releases import RealKafkaUnavailableError


def stop_processes(processes: Sequence[subprocess.Popen[bytes]], grace_s: float = 8.0) -> None:
    """Stop processes in the given order with SIGTERM, and after `grace_s` with SIGKILL."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(grace_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def spawn(node: Path, command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a process in a node's directory, with its output in a log there."""
    with (node / "log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=node)


def await_ready(
    ready: Callable[[], bool],
    processes: Sequence[subprocess.Popen[bytes]],
    timeout_s: float,
    directory: Path,
) -> None:
    """Wait until a condition holds.

    Raises: RealKafkaUnavailableError when a process ends, or when it takes too long.
    """
    deadline = time.monotonic() + timeout_s
    while not ready():
        if any(process.poll() is not None for process in processes):
            raise RealKafkaUnavailableError(f"a process ended early: {_log_ends(directory)}")
        if time.monotonic() > deadline:
            raise RealKafkaUnavailableError(f"not ready in {timeout_s} s: {_log_ends(directory)}")
        time.sleep(0.02)


def _log_ends(directory: Path) -> str:
    """Return the end of each process' log."""
    ends = {log: log.read_text("utf-8", "replace")[-1_000:] for log in directory.glob("*/log")}
    return "\n".join(f"{log}:\n{end}" for log, end in sorted(ends.items()))
