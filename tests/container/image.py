"""The image's files, unpacked in a folder: its scripts run there without a container."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

ROOT: Final = Path(__file__).parents[2]
CONTAINER_PORTS: Final[tuple[int, ...]] = (9092, 9093, 9094, 2181, 8092)
_PATHS: Final = re.compile(r"(?<![\w./:-])/(?=(?:etc|tmp|usr/sbin|usr/local|tc-start)\b)")


class Image:
    """The image's files under a root of their own, with ports for those of the container."""

    def __init__(self, root: Path, ports: Sequence[int]) -> None:
        """Unpack the files."""
        self.root = root
        shutil.copytree(ROOT / "container", root, dirs_exist_ok=True)
        for folder in ("tmp", "usr/sbin", "home", "venv"):
            (root / folder).mkdir(parents=True)
        command = root / "venv" / "mockbroker"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mockbroker "$@"\n')
        command.chmod(0o755)
        self.ports: dict[int, int] = dict(zip(CONTAINER_PORTS, ports, strict=True))

    def here(self, text: str) -> str:
        """Rewrite paths and ports of the container to those that they have here."""
        for port, free in self.ports.items():
            text = re.sub(rf"\b{port}\b", str(free), text)
        return _PATHS.sub(f"{self.root}/", text)

    def run(self, command: Sequence[str], variables: Mapping[str, str]) -> "Contained":
        """Run a command as a container would."""
        return Contained(
            [self.here(word) for word in command],
            {
                "IMAGE_ROOT": str(self.root),
                "PATH": f"{self.root}/venv:{self.root}/usr/local/bin:{os.environ['PATH']}",
                "PYTHONPATH": str(ROOT),
                "PYTHONUNBUFFERED": "1",
                "MOCKBROKER_ADMIN_PORT": str(self.ports[8092]),
                **{name: self.here(text) for name, text in variables.items()},
            },
            self.root / "home",
        )


class Contained:
    """A process that runs as if it were in a container; its whole group is ended with it."""

    def __init__(self, command: Sequence[str], variables: Mapping[str, str], folder: Path) -> None:
        """Start it; what it says goes to one log."""
        self.log = ""
        """What was read of that."""
        self.process = subprocess.Popen(
            command,
            env=dict(variables),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
        )

    def wait_for(self, pattern: str) -> None:
        """Read the log until it has what matches; the test's own timeout ends that."""
        assert self.process.stdout is not None
        while re.search(pattern, self.log) is None:
            line = self.process.stdout.readline()
            assert line, f"{pattern} was never said:\n{self.log}"
            self.log += line

    def ended(self) -> int:
        """Read the log to its end, and return the exit code."""
        assert self.process.stdout is not None
        self.log += self.process.stdout.read()
        return self.process.wait()

    def __enter__(self) -> Self:
        """Stand for it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it, and whatever it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


def is_open(port: int) -> bool:
    """Tell whether somebody listens on a port."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
