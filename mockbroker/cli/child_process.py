"""Child process of a command, with forwarded signals."""

import os
import signal
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from mockbroker.cli import EXIT_INTERRUPTED

_BY_SIGNAL: Final = 128
_FORWARDED: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
"""Signals to forward, if the system has them."""


class ChildProcess:
    """One run of a command."""

    def __init__(self, command: Sequence[str], variables: Mapping[str, str]) -> None:
        """Take the command, and variables to add to our environment."""
        self._command = command
        self._variables = variables
        self._process: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []
        self._was_interrupted = False

    def run(self) -> int:
        """Run the command to its end, and return its exit code as a shell does.

        Signals are forwarded. An interrupt from the terminal reaches the child anyway.

        Raises:
            OSError: the command does not exist, or cannot be run.

        """
        with self._forwarding():
            self._process = subprocess.Popen(self._command, env={**os.environ, **self._variables})
            for number in self._early:
                self._send(number)
            try:
                code = self._process.wait()
            except BaseException:
                self._process.kill()
                self._process.wait()
                raise
        code = _BY_SIGNAL - code if code < 0 else code
        return EXIT_INTERRUPTED if self._was_interrupted and code == 0 else code

    @contextmanager
    def _forwarding(self) -> Generator[None]:
        numbers = [getattr(signal, name) for name in _FORWARDED if hasattr(signal, name)]
        before = [(number, signal.signal(number, self._forward)) for number in numbers]
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler)

    def _forward(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT:
            self._was_interrupted = True
            if _is_in_foreground():
                return
        if self._process is None:
            self._early.append(number)
        else:
            self._send(number)

    def _send(self, number: int) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.send_signal(number)


def _is_in_foreground() -> bool:
    """Return whether a terminal sends its interrupts to us, and so to the child as well."""
    if not hasattr(os, "tcgetpgrp"):  # a console of Windows sends them to all of its processes
        return True
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
