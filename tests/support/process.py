"""`mockbroker` in a separate process."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

PATIENCE_S: Final = 30


def command(*words: str) -> list[str]:
    """Return the command line of `mockbroker` with these arguments."""
    return [sys.executable, "-m", "mockbroker", *words]


def run(*words: str, text_in: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command that ends by itself."""
    return subprocess.run(
        command(*words),
        input=text_in,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        env=os.environ | {"NO_COLOR": "1"},
    )


class Served:
    """A `mockbroker serve` that is ready."""

    def __init__(self, process: subprocess.Popen[str], first_line: str) -> None:
        self._process = process
        self.first_line = first_line
        self.stop_s = 0.0
        self.stdout = ""
        self.stderr = ""

    @property
    def ready(self) -> Any:
        """The announcement in JSON."""
        return json.loads(self.first_line)

    @property
    def addresses(self) -> list[str]:
        """Addresses of the brokers."""
        return str(self.ready["bootstrap_servers"]).split(",")

    def next_error(self) -> str:
        """Wait for the next line on stderr."""
        assert self._process.stderr is not None
        return self._process.stderr.readline()

    def end_stdin(self) -> int:
        """Close the stdin of the process, and return its exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(PATIENCE_S)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, and return the exit code; see `stop_s`, `stdout` and `stderr` then."""
        started_s = time.monotonic()
        self._process.send_signal(number)
        code = self._process.wait(PATIENCE_S)
        self.stop_s = time.monotonic() - started_s
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.stdout, self.stderr = self._process.stdout.read(), self._process.stderr.read()
        return code


@contextmanager
def served(
    *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Generator[Served]:
    """Start `mockbroker serve --port 0`, and wait for the first line on stdout."""
    with subprocess.Popen(
        command("serve", "--port", "0", *words),
        env=os.environ | (env or {}),
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            first_line = process.stdout.readline()
            if not first_line:
                raise AssertionError(process.communicate(timeout=PATIENCE_S)[1])
            yield Served(process, first_line)
        finally:
            process.kill()
