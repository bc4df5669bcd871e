"""Measure the table of KIP-691 anew, and keep it.

    python -m tests.clients.kip_691.record

It takes Java and Maven. `make docs` then makes the page from what was kept.
"""

import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.clients.kip_691.clients import TITLES, Clients
from tests.clients.kip_691.meet import outcome_of
from tests.clients.kip_691.recording import RECORDED, write
from tests.clients.kip_691.rows import ROWS


def main() -> None:
    """Measure all rows with all clients."""
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        clients = Clients(running, folder)
        recording = {
            row.name: {title: outcome_of(clients[title], row) for title in TITLES} for row in ROWS
        }
    write(RECORDED, recording)


if __name__ == "__main__":
    main()
