"""Programs that an exploration runs: a function of Python, or a command of any language."""

import os
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Final, Protocol

from mockbroker.control.cluster_handle import ClusterHandle

_LAST_LINES: Final = 5
"""Number of lines of a command's stderr that tell why it failed."""

_OUTPUT_TIMEOUT_S: Final = 60


class Program(Protocol):
    """A program that uses a cluster and ends."""

    @property
    def about(self) -> str:
        """What tells it from another program: its name, or its command."""
        ...

    def run(self, cluster: ClusterHandle, timeout_s: float) -> str | None:
        """Run it once, and return why it failed; None if it did not.

        Raises:
            OSError: it cannot be started.
            TimeoutError: it has not ended in time.

        """
        ...

    def test_code(self, indent: str) -> tuple[str, str] | None:
        """Return the imports and the statement of a test that run it with `cluster`.

        None if a test cannot import it.
        """
        ...


def name_of(function: Callable[..., object]) -> str:
    """Return the name of a function, or of the class of another callable."""
    return str(getattr(function, "__qualname__", type(function).__qualname__))


class FunctionProgram:
    """A function that takes a cluster."""

    def __init__(self, function: Callable[[ClusterHandle], object]) -> None:
        """Take the function."""
        self._function: Final = function

    @property
    def about(self) -> str:
        """The name of the function."""
        return name_of(self._function)

    def run(self, cluster: ClusterHandle, timeout_s: float) -> str | None:
        """Call the function in a thread; one that has not ended in time is left behind.

        Raises:
            TimeoutError: it has not ended in time.

        """
        failures: list[BaseException] = []

        def call() -> None:
            try:
                self._function(cluster)
            except BaseException as failure:  # noqa: BLE001 - told as the result of the run
                failures.append(failure)

        thread = threading.Thread(target=call, name="explored", daemon=True)
        thread.start()
        thread.join(timeout_s)
        if thread.is_alive():
            raise TimeoutError
        return None if not failures else f"{type(failures[0]).__name__}: {failures[0]}"

    def test_code(self, indent: str) -> tuple[str, str] | None:
        """Return the import of the function, and its call; None if it cannot be imported."""
        module = getattr(self._function, "__module__", None)
        name = getattr(self._function, "__qualname__", "")
        if module in {None, "__main__"} or not name.isidentifier():
            return None
        return f"from {module} import {name}\n", f"{indent}{name}(cluster)\n"


class CommandProgram:
    """A command, with the addresses of the cluster in its environment."""

    def __init__(
        self, command: Sequence[str], variables: Callable[[ClusterHandle], Mapping[str, str]]
    ) -> None:
        """Take the command, and what gives its variables."""
        self._command: Final = list(command)
        self._variables: Final = variables

    @property
    def about(self) -> str:
        """The command."""
        return shlex.join(self._command)

    def run(self, cluster: ClusterHandle, timeout_s: float) -> str | None:
        """Run the command; one that has not ended in time is killed, with its children.

        Raises:
            OSError: it cannot be started.
            TimeoutError: it has not ended in time.

        """
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                self._command,
                env={**os.environ, **self._variables(cluster)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
            try:
                code = process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                raise TimeoutError from None
            finally:
                _kill_all(process)
            return None if code == 0 else f"exit code {code}{_last_lines(_content(errors))}"

    def test_code(self, indent: str) -> tuple[str, str]:
        """Return the imports, and a call of the command."""
        call = f"subprocess.run({self._command!r}, env=environment, check=True)"
        servers = "{**os.environ, 'KAFKA_BOOTSTRAP_SERVERS': cluster.bootstrap_servers}"
        return (
            "import os\nimport subprocess\n",
            f"{indent}environment = {servers}\n{indent}{call}\n",
        )


class CommandOutput:
    """What a command prints about a cluster, after a run."""

    def __init__(self, text: str, variables: Callable[[ClusterHandle], Mapping[str, str]]) -> None:
        """Take the command as a shell has it, and what gives its variables.

        Raises:
            ValueError: it is no command.

        """
        self.__qualname__ = text
        self._command: Final = shlex.split(text)
        self._variables: Final = variables
        if not self._command:
            raise ValueError("--same-output needs a command")

    def __call__(self, cluster: ClusterHandle) -> str:
        """Run it, and return its stdout.

        Raises:
            OSError: it cannot be started.
            RuntimeError: its exit code is not 0, or it does not end.

        """
        try:
            done = subprocess.run(
                self._command,
                env={**os.environ, **self._variables(cluster)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_OUTPUT_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"it did not end within {_OUTPUT_TIMEOUT_S} s") from None
        if done.returncode != 0:
            raise RuntimeError(f"exit code {done.returncode}{_last_lines(done.stderr)}")
        return done.stdout.decode(errors="replace")


def _kill_all(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the process and its children."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _last_lines(errors: bytes) -> str:
    lines = errors.decode(errors="replace").strip().splitlines()[-_LAST_LINES:]
    return "".join(f"\n{line}" for line in lines)
