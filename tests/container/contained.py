"""A container of the image, as the tests see it through Docker's own client for Python."""

import io
import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

import docker

PORTS: Final = {"9092/tcp": None, "8092/tcp": None}
"""What the image exposes, published at free ports."""


class Contained:
    """A container; it is removed with the block."""

    def __init__(
        self,
        engine: Mapping[str, str],
        command: Sequence[str],
        variables: Mapping[str, str],
        *,
        ports: Mapping[str, None] = PORTS,
        files: Mapping[str, str] | None = None,
    ) -> None:
        """Create it, copy files into it and start it."""
        self._client: Any = docker.DockerClient(engine["DOCKER_HOST"])
        self._container: Any = self._client.containers.create(
            "mockbroker", list(command), environment=dict(variables), ports=dict(ports)
        )
        if files:
            self._container.put_archive("/", _archive(files))
        self._container.start()
        self.log = ""
        """What was read of what it says."""
        self._said: Iterator[bytes] = self._container.logs(stream=True, follow=True)

    def wait_for(self, pattern: str) -> None:
        """Read the log until it has what matches; the test's own timeout ends that."""
        while re.search(pattern, self.log) is None:
            said = next(self._said, None)
            assert said is not None, f"{pattern} was never said:\n{self.log}"
            self.log += said.decode()

    def ended(self) -> int:
        """Read the log to its end, and return the exit code."""
        self.log += b"".join(self._said).decode()
        return int(self._container.wait()["StatusCode"])

    def address(self, port: int) -> str:
        """Return where a port is published."""
        self._container.reload()
        return f"127.0.0.1:{self._container.ports[f'{port}/tcp'][0]['HostPort']}"

    def stop(self) -> int:
        """Stop it as `docker stop` does, and return the exit code."""
        self._container.stop()
        return self.ended()

    def __enter__(self) -> Self:
        """Stand for it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove it, whether it runs or not."""
        self._container.remove(force=True)
        for _ in self._said:  # a connection is closed at its end
            pass
        self._client.close()


def _archive(files: Mapping[str, str]) -> bytes:
    with io.BytesIO() as written:
        with tarfile.open(fileobj=written, mode="w") as archive:
            for path, text in files.items():
                member = tarfile.TarInfo(path)
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
        return written.getvalue()
