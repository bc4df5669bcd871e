"""The engine as a process of its own, in namespaces that end all containers with it."""

import socket
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.container.image import ROOT


@contextmanager
def running_engine(folder: Path) -> Generator[Mapping[str, str]]:
    """Yield the variables with which clients of Docker and Testcontainers find the engine.

    Raises: AssertionError at the end if something was asked for that the engine does not do.
    """
    address = folder / "docker.sock"
    files = folder / "files"
    files.mkdir()
    log = folder / "engine.log"
    with socket.socket(socket.AF_UNIX) as listener, log.open("wb") as written:
        listener.bind(str(address))
        listener.listen()
        process = subprocess.Popen(
            [
                *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
                *(sys.executable, "-m", "tests.container.engine", str(listener.fileno()), files),
            ],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            pass_fds=[listener.fileno()],
        )
        try:
            yield {
                "DOCKER_HOST": f"unix://{address}",
                # No further container that cleans up: nothing outlives the engine.
                "TESTCONTAINERS_RYUK_DISABLED": "true",
                # Do not look for an address of the host where the tests run in a container.
                "TESTCONTAINERS_HOST_OVERRIDE": "localhost",
                "TESTCONTAINERS_CONNECTION_MODE": "docker_host",
            }
        finally:
            process.kill()
            process.wait()
    assert not (told := log.read_text()), f"the engine had trouble:\n{told}"
