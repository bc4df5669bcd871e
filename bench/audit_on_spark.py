"""Audit a journal with Spark on `local[2]`, and print the time.

    python -m bench.audit_on_spark FOLDER INJECTED [beside]

The session's start and its first, empty job are not counted. Spark reads and sorts the same rows
before, twice. With `beside` the audit in this process judges the same journal afterwards, and both
must have the same findings. The memory is that of this process, the driver, without its JVM.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mockbroker.audit.local import audit_folder
from mockbroker.spark.auditing.audit_job import AuditRequest, audit
from mockbroker.spark.command_session import command_session
from mockbroker.spark.report.progress import Progress
from tools.synthetic_journal.injected import read_injected, unmatched

_KIB: int = 1024


def _sort_seconds(spark: Any, folder: str) -> float:
    before = time.perf_counter()
    rows = spark.read.parquet(f"{folder}/part-*.parquet").sort("seq")
    rows.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - before


def main(folder: str, injected: str, *words: str) -> None:
    """Audit once, to files as a user would."""
    session = command_session("local[2]", "bench-audit")
    session.spark.range(10).count()
    sort_seconds = min(_sort_seconds(session.spark, folder) for _ in range(2))
    with tempfile.TemporaryDirectory(prefix="bench-audit-") as out:
        before = time.perf_counter()
        audited = audit(session, AuditRequest(sources=[folder], out=Path(out)), Progress())
        after = time.perf_counter()
    session.spark.stop()
    driver_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB
    findings = [each.finding for each in audited.findings()]
    missed, surplus = unmatched(read_injected(Path(injected)), findings)
    differ = 0
    if "beside" in words:
        differ = len(set(findings) ^ set(audit_folder(folder).findings))
    figures = {
        "seconds": after - before,
        "sort_seconds": sort_seconds,
        "driver_mib": driver_mib,
        "events": sum(each.verdict.counts.events for each in audited.sources),
        "missed": len(missed),
        "surplus": len(surplus),
        "differ": differ,
    }
    print(json.dumps({"audit": figures}))


if __name__ == "__main__":
    main(*sys.argv[1:])
