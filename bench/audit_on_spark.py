"""Audit a journal with Spark, and print time, processor time and memory.

    python -m bench.audit_on_spark FOLDER INJECTED [cluster] [sorted] [beside]

The session is on `local[2]`; with `cluster` on a standalone cluster of two workers with one core
each. Its start and its first, empty job are not counted. With `sorted` Spark reads and sorts the
same rows before, in as many tasks as the audit has, and both are done twice: the first time the JVM
compiles, and the less counts. With `beside` the audit in this process judges the same journal
afterwards, and both must have the same findings.

On a busy machine the processor time, of all processes, tells more than the time. The memory is the
largest that the driver (this process and its JVM), a JVM of an executor, and a worker of Python had
until the audit ended. On `local[2]` the JVM of the driver is the executor, too.
"""

import json
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

from bench.machine import Peak, cpu_seconds_of_tree, peaks_of_tree
from mockbroker.audit.local import audit_folder
from mockbroker.report.audited import Audited
from mockbroker.spark.auditing.audit_job import audit
from mockbroker.spark.auditing.audit_request import AuditRequest
from mockbroker.spark.auditing.judging import ROWS_A_TASK
from mockbroker.spark.command_session import CommandSession, command_session
from mockbroker.spark.report.progress import Progress
from tests.support.spark_cluster import SETTINGS, SparkInstallation
from tools.synthetic_journal.injected import read_injected, unmatched

_LOOK_S: Final = 0.5
_TIMES: Final = 2
_ROLES: Final[Mapping[str, str]] = {
    "deploy.master.Master": "cluster",
    "deploy.worker.Worker": "cluster",
    "CoarseGrainedExecutorBackend": "executor",
    "pyspark.daemon": "worker",
}
"""Parts of command lines, and what such a process is; others are the driver."""


class _MemoryWatch:
    """The largest memory of each process of this tree, looked at again and again."""

    def __init__(self) -> None:
        self._peaks: dict[int, Peak] = {}
        self._ended = Event()
        Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_S):
            self._peaks |= peaks_of_tree(os.getpid())

    def ended(self) -> dict[str, float]:
        """Stop, and return MiB: the driver's in sum, and of others the largest process's."""
        self._ended.set()
        self._peaks |= peaks_of_tree(os.getpid())
        mib = {"driver": 0.0, "executor": 0.0, "worker": 0.0, "cluster": 0.0}
        for command, peak_mib in self._peaks.values():
            role = next((role for part, role in _ROLES.items() if part in command), "driver")
            mib[role] = mib[role] + peak_mib if role == "driver" else max(mib[role], peak_mib)
        return {f"{role}_mib": most for role, most in mib.items()}


def _taken(work: Callable[[], object], times: int) -> tuple[float, float]:
    """Return the least of the seconds, and of the processor time of all processes."""
    taken: list[tuple[float, float]] = []
    for _ in range(times):
        cpu_s, began = cpu_seconds_of_tree(os.getpid()), time.perf_counter()
        work()
        seconds = time.perf_counter() - began
        taken.append((seconds, cpu_seconds_of_tree(os.getpid()) - cpu_s))
    seconds, cpu_s = map(min, zip(*taken, strict=True))
    return seconds, cpu_s


@contextmanager
def _session(*, is_cluster: bool) -> Generator[CommandSession]:
    if not is_cluster:
        yield command_session("local[2]", "bench-audit")
        return
    with tempfile.TemporaryDirectory(prefix="bench-spark-") as folder:
        installation = SparkInstallation(Path(folder))
        os.environ |= installation.environment()
        settings = [f"--conf={name}={value}" for name, value in SETTINGS]
        os.environ["PYSPARK_SUBMIT_ARGS"] = shlex.join([*settings, "pyspark-shell"])
        with installation.standalone_cluster() as master:
            session = command_session(master, "bench-audit")
            yield session
            session.spark.stop()


def _sorted(spark: Any, folder: str) -> dict[str, float]:
    """Read and sort the rows, and return what it took."""
    frame = spark.read.parquet(f"{folder}/part-*.parquet")
    spark.conf.set("spark.sql.shuffle.partitions", max(2, -(-frame.count() // ROWS_A_TASK)))
    ordered = frame.sort("seq").write.format("noop").mode("overwrite")
    seconds, cpu_s = _taken(ordered.save, _TIMES)
    return {"sort_seconds": seconds, "sort_cpu_s": cpu_s}


def main(folder: str, injected: str, *words: str) -> None:
    """Audit to files, as a user would."""
    with _session(is_cluster="cluster" in words) as session:
        spark: Any = session.spark
        spark.range(10).count()
        figures = _sorted(spark, folder) if "sorted" in words else {}
        watch = _MemoryWatch()
        done: list[Audited] = []

        def judge() -> None:
            with tempfile.TemporaryDirectory(prefix="bench-audit-") as out:
                request = AuditRequest(sources=[folder], out=Path(out))
                done.append(audit(session, request, Progress()))

        seconds, cpu_s = _taken(judge, _TIMES if "sorted" in words else 1)
        figures |= {"seconds": seconds, "cpu_s": cpu_s, **watch.ended()}
    audited = done[-1]
    findings = [each.finding for each in audited.findings()]
    missed, surplus = unmatched(read_injected(Path(injected)), findings)
    figures |= {
        "events": sum(each.verdict.counts.events for each in audited.sources),
        "missed": len(missed),
        "surplus": len(surplus),
    }
    if "beside" in words:
        figures["differ"] = len(set(findings) ^ set(audit_folder(folder).findings))
    print(json.dumps({"audit": figures}))


if __name__ == "__main__":
    main(*sys.argv[1:])
