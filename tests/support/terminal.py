"""Commands whose stderr is a terminal."""

import os
import pty
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

from tests.support.process import PATIENCE_S, command


def on_a_terminal(*words: str | Path) -> str:
    """Run a command of mockbroker, and return what it wrote to a terminal that is its stderr."""
    ours, its = pty.openpty()
    pieces: list[bytes] = []

    def collect() -> None:
        with suppress(OSError):  # the end, when the command has closed its side
            while piece := os.read(ours, 4096):
                pieces.append(piece)

    reader = threading.Thread(target=collect)
    reader.start()
    try:
        subprocess.run(
            command(*map(str, words)),
            stdout=subprocess.DEVNULL,
            stderr=its,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "80"},
            check=False,
            timeout=PATIENCE_S,
        )
    finally:
        os.close(its)
        reader.join()
        os.close(ours)
    return b"".join(pieces).decode()
