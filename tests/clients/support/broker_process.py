"""`mockbroker serve` as a process of its own.

Clients under load and the brokers then do not share one interpreter.
"""

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_START_TIMEOUT_S: Final = 20.0
_STOP_TIMEOUT_S: Final = 10.0


@contextmanager
def broker_process(work_folder: Path, arguments: Sequence[str]) -> Generator[str]:
    """Yield the bootstrap servers of `mockbroker serve` with these arguments; stop it at the end.

    Raises: AssertionError when it does not start, does not stop cleanly on SIGTERM, or logged a
    traceback.
    """
    log = work_folder / "mockbroker.log"
    command = [sys.executable, "-m", "mockbroker", "serve", "--port", "0", "--json", *arguments]
    with (
        log.open("wb") as stderr,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr
        ) as process,
    ):
        try:
            ready = json.loads(_first_line(process, log))
            yield ready["bootstrap_servers"]
            assert process.poll() is None, f"the broker ended during the tests: {_tail(log)}"
            process.terminate()
            assert process.wait(_STOP_TIMEOUT_S) == 0, (
                f"the broker did not stop cleanly: {_tail(log)}"
            )
        finally:
            process.kill()
    assert "Traceback" not in log.read_text(), f"the broker logged a traceback: {_tail(log)}"


def _first_line(process: subprocess.Popen[bytes], log: Path) -> bytes:
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        ready = selector.select(_START_TIMEOUT_S)
    line = process.stdout.readline() if ready else b""
    assert line, f"the broker did not start within {_START_TIMEOUT_S} s: {_tail(log)}"
    return line


def _tail(log: Path, size: int = 4000) -> str:
    return os.linesep + log.read_text()[-size:]
