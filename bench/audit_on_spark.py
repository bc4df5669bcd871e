"""Audit a journal with Spark on `local[2]` with a heap of 3 GB, and print the time.

    python -m bench.audit_on_spark FOLDER INJECTED [beside]

The session's start and its first, empty job are not counted. With `beside` the audit in this
process judges the same journal afterwards, and both must have the same findings.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from mockbroker.spark.auditing.audit_job import AuditRequest, audit

from mockbroker.audit.local import audit_folder
from mockbroker.spark.command_session import command_session
from mockbroker.spark.report.progress import Progress
from tools.synthetic_journal.injected import read_injected, unmatched


def main(folder: str, injected: str, *words: str) -> None:
    """Audit once, to files as a user would."""
    session = command_session("local[2]", "bench-audit")
    session.spark.range(10).count()
    with tempfile.TemporaryDirectory(prefix="bench-audit-") as out:
        before = time.perf_counter()
        audited = audit(session, AuditRequest(sources=[folder], out=Path(out)), Progress())
        after = time.perf_counter()
    session.spark.stop()
    findings = [each.finding for each in audited.findings()]
    missed, surplus = unmatched(read_injected(Path(injected)), findings)
    differ = 0
    if "beside" in words:
        differ = len(set(findings) ^ set(audit_folder(folder).findings))
    figures = {
        "seconds": after - before,
        "events": sum(each.verdict.counts.events for each in audited.sources),
        "missed": len(missed),
        "surplus": len(surplus),
        "differ": differ,
    }
    print(json.dumps({"audit": figures}))


if __name__ == "__main__":
    main(*sys.argv[1:])
