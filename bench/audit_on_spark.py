"""Audits a journal by the pipeline on `local[2]` with a heap of 3 GB, and prints how long it took.

    python -m bench.audit_on_spark FOLDER

The session's start and its first, empty job are not counted.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from mockbroker.pipeline.audit_job import AuditRequest, audit
from mockbroker.pipeline.pipeline_session import pipeline_session
from mockbroker.pipeline.progress import Progress


def main(folder: str) -> None:
    """Audit once, to files as a user would."""
    session = pipeline_session("local[2]", "bench-audit")
    session.spark.range(10).count()
    with tempfile.TemporaryDirectory(prefix="bench-audit-") as out:
        before = time.perf_counter()
        audited = audit(session, AuditRequest(sources=[folder], out=Path(out)), Progress())
        after = time.perf_counter()
    events = sum(each.verdict.counts.events for each in audited.sources)
    figures = {
        "seconds": after - before,
        "events": events,
        "findings": len(audited.findings()),
    }
    print(json.dumps({"audit": figures}))
    session.spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
