"""Audit a journal in a separate process, and print its CPU time and its memory.

python -m bench.audit_in_process FOLDER INJECTED
"""

import json
import sys
import time
from pathlib import Path

from bench.machine import parse_resident_kib
from mockbroker.audit.local import audit_folder
from tools.synthetic_journal.injected import read_injected, unmatched

_KIB: int = 1024


def main(folder: str, injected: str) -> None:
    """Audit once."""
    before = time.process_time()
    verdict = audit_folder(folder)
    after = time.process_time()
    # Not `getrusage`: it counts the process that has started this one, until its program began.
    status = Path("/proc/self/status").read_text("utf-8")
    peak_kib = parse_resident_kib(status, "VmHWM")
    missed, surplus = unmatched(read_injected(Path(injected)), verdict.findings)
    figures = {
        "seconds": after - before,
        "events": verdict.counts.events,
        "missed": len(missed),
        "surplus": len(surplus),
        "peak_mib": peak_kib / _KIB,
    }
    print(json.dumps({"audit": figures}))


if __name__ == "__main__":
    main(*sys.argv[1:])
