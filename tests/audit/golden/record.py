"""Make the golden journals of the audit again: `python -m tests.audit.golden.record`."""

import sys

from mockbroker.events import logging
from tests.audit.golden.scenarios import MADE
from tests.audit.golden.stored import TWINS, path_of, written


def main() -> None:
    """Make all of them, or those of the rules that are named."""
    logging.configure(level="error", log_format="json")
    for rule in sys.argv[1:] or MADE:
        for twin in TWINS:
            path = path_of(rule, twin)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(written(MADE[rule].make(twin == "fires")))


if __name__ == "__main__":
    main()
