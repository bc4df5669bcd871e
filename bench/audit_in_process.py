"""Audit a journal in a separate process, and print its CPU time and its memory.

python -m bench.audit_in_process FOLDER INJECTED
"""

import json
import resource
import sys
import time
from pathlib import Path

from mockbroker.audit.local import audit_folder
from tools.synthetic_journal.injected import read_injected, unmatched

_KIB: int = 1024


def main(folder: str, injected: str) -> None:
    """Audit once."""
    before = time.process_time()
    verdict = audit_folder(folder)
    after = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB
    missed, surplus = unmatched(read_injected(Path(injected)), verdict.findings)
    figures = {
        "seconds": after - before,
        "events": verdict.counts.events,
        "missed": len(missed),
        "surplus": len(surplus),
        "peak_mib": peak,
    }
    print(json.dumps({"audit": figures}))


if __name__ == "__main__":
    main(*sys.argv[1:])
