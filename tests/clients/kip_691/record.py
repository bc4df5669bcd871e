"""Measure the table of KIP-691, and store the results.

    python -m tests.clients.kip_691.record [WORDS]

With words, only rows with these words in their names are measured. It needs Java and Maven.
`make docs` then generates the page from the results.
"""

import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.clients.kip_691.meet import outcome_of
from tests.clients.kip_691.recording import RECORDED, read, write
from tests.clients.kip_691.row import Row
from tests.clients.kip_691.rows import ROWS
from tests.clients.kip_691.template import Outcome
from tests.clients.transactors.clients import TITLES_OF_KIP_691 as TITLES
from tests.clients.transactors.clients import Clients
from tests.clients.transactors.transactor import TransactorClient

_TIMES_WITH_TIME_LIMITS: Final = 5


def main(words: str) -> None:
    """Measure rows with all clients."""
    recording = dict(read(RECORDED))
    with ExitStack() as running:
        clients = Clients(running, Path(running.enter_context(tempfile.TemporaryDirectory())))
        recording |= {
            row.name: {title: _usual_outcome(clients[title], row) for title in TITLES}
            for row in ROWS
            if words in row.name
        }
    write(RECORDED, {row.name: recording[row.name] for row in ROWS})


def _usual_outcome(client: TransactorClient, row: Row) -> Outcome:
    """Return the outcome of a row; on a slow machine, the most frequent one."""
    times = _TIMES_WITH_TIME_LIMITS if row.is_timed else 1
    return Counter(outcome_of(client, row) for _ in range(times)).most_common(1)[0][0]


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
