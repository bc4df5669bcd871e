"""Audits a journal in a process of its own, and prints how long it took.

python -m bench.audit_in_process FOLDER
"""

import json
import resource
import sys
import time

from mockbroker.audit.local import audit_folder

_KIB: int = 1024


def main(folder: str) -> None:
    """Audit twice: the first time what is needed is imported, and the disk's cache is filled."""
    audit_folder(folder)
    before = time.perf_counter()
    verdict = audit_folder(folder)
    after = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB
    figures = {
        "seconds": after - before,
        "events": verdict.counts.events,
        "findings": len(verdict.findings),
        "peak_mib": peak,
    }
    print(json.dumps({"audit": figures}))


if __name__ == "__main__":
    main(sys.argv[1])
