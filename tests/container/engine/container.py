"""A container: a process in namespaces of its own, on the image's files over those of this machine.

Its files, process ids, host name and network are its own. It has no addresses but the loopback's;
published ports lead there.
"""

import asyncio
import contextlib
import io
import os
import secrets
import shutil
import signal
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tests.container.engine.output import STDERR, STDOUT, Output
from tests.container.engine.published_port import PublishedPort
from tests.container.image import HOME, MOUNTED

_LINE_LIMIT: Final = 1 << 20
# The rest of the arguments are the variables and the command.
# It writes to its input, a pipe, once it is in its namespaces.
_START: Final = """
set -eu
printf . >&0
exec </dev/null
root=$1 host=$2 folder=$3 user=$4
shift 4
hostname "$host"
ip link set lo up
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec unshare --root="$root" --wd="$folder" --setgid "$user" --setuid "$user" env -i "$@"
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """How a container was asked to run."""

    name: str
    image: str
    entrypoint: Sequence[str]
    command: Sequence[str]
    environment: Mapping[str, str]
    labels: Mapping[str, str]
    exposed: Sequence[str]
    published: Mapping[str, int]
    folder: str
    user: int
    host_name: str = ""
    remove_at_end: bool = False
    identity: str = field(default_factory=lambda: secrets.token_hex(32))


class Container:
    """One container from its creation to its removal."""

    def __init__(self, run: Run, layer: Path, folder: Path) -> None:
        """Mount its files."""
        self.run = run
        self.host_name = run.host_name or run.identity[:12]
        self.created = datetime.now(UTC)
        self.started: datetime | None = None
        self.ended: datetime | None = None
        self.exit_code = 0
        self.ports: dict[str, PublishedPort] = {}
        self.output = Output()
        self.end = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._folder = folder
        self.root = folder / "root"
        for name in ("upper", "work", "root"):
            (folder / name).mkdir(parents=True)
        layers = f"lowerdir={layer}:/,upperdir={folder / 'upper'},workdir={folder / 'work'}"
        _run("mount", "-t", "overlay", "overlay", "-o", layers, self.root)
        for mounted in MOUNTED:
            _run("mount", "--rbind", mounted, f"{self.root}{mounted}")
        (self.root / "etc/hostname").write_text(f"{self.host_name}\n")
        hosts = f"127.0.0.1 localhost\n127.0.1.1 {self.host_name}\n"
        (self.root / "etc/hosts").write_text(hosts)

    @property
    def _variables(self) -> list[str]:
        given = {"HOSTNAME": self.host_name, "HOME": HOME, **self.run.environment}
        return [f"{name}={value}" for name, value in given.items()]

    @property
    def is_running(self) -> bool:
        """Tell whether its process runs."""
        return self.started is not None and self.ended is None

    async def start(self) -> None:
        """Start the process and open its ports."""
        self.started = datetime.now(UTC)
        waiting, entered = os.pipe()
        self._process = await asyncio.create_subprocess_exec(
            *("unshare", "--mount", "--uts", "--net", "--pid", "--fork", "--kill-child"),
            *("sh", "-c", _START, "sh", str(self.root), self.host_name, self.run.folder),
            *(str(self.run.user), *self._variables),
            *(*self.run.entrypoint, *self.run.command),
            stdin=entered,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            limit=_LINE_LIMIT,
        )
        os.close(entered)
        await asyncio.to_thread(os.read, waiting, 1)
        os.close(waiting)
        await self._open_ports(self._process)
        self._watching = asyncio.get_running_loop().create_task(self._watch(self._process))

    async def _open_ports(self, process: asyncio.subprocess.Process) -> None:
        for name, port in self.run.published.items():
            inner = int(name.partition("/")[0])
            self.ports[name] = await PublishedPort(process.pid, inner).open(port)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        await asyncio.gather(
            self.output.read(STDOUT, process.stdout), self.output.read(STDERR, process.stderr)
        )
        code = await process.wait()
        self.exit_code = 128 - code if code < 0 else code
        for port in self.ports.values():
            port.close()
        self.ports = {}
        self.ended = datetime.now(UTC)
        await self.output.end()
        self.end.set()

    async def execute(self, command: Sequence[str]) -> tuple[int, bytes, bytes]:
        """Run a command beside the first process; return its exit code and what it writes."""
        user = str(self.run.user)
        process = await asyncio.create_subprocess_exec(
            *("nsenter", "--target", str(self._first_process()), "--mount", "--uts", "--net"),
            *("--pid", "--root", "--wd", "--setgid", user, "--setuid", user),
            *("env", "-i", *self._variables, *command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        output, errors = await process.communicate()
        assert process.returncode is not None
        return process.returncode, output, errors

    def kill(self, name: str) -> None:
        """Send a signal to the first process."""
        first = self._first_process()
        if first is not None:
            os.kill(first, signal.Signals[f"SIG{name.removeprefix('SIG')}"])

    def _first_process(self) -> int | None:
        """Return the process that is number 1 inside: the only child of the one that waits."""
        assert self._process is not None
        waiting = self._process.pid
        with contextlib.suppress(FileNotFoundError):
            children = Path(f"/proc/{waiting}/task/{waiting}/children").read_text().split()
            return int(children[0]) if children else None
        return None

    async def stop(self, timeout_s: float, name: str) -> None:
        """Ask it to end, and end it after the timeout."""
        self.kill(name)
        try:
            await asyncio.wait_for(self.end.wait(), timeout_s)
        except TimeoutError:
            self.kill("KILL")
            await self.end.wait()

    async def remove(self) -> None:
        """End it and delete its files."""
        if self.is_running:
            self.kill("KILL")
            await self.end.wait()
        _run("umount", "--recursive", "--lazy", self.root)
        shutil.rmtree(self._folder)

    def unpack(self, path: str, archive: bytes) -> None:
        """Extract an archive into a folder of the container."""
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(self.root / path.removeprefix("/"), filter="tar")


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True)
