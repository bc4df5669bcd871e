"""Progress of an audit on stderr: one updated line on a terminal, few lines elsewhere."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final, TextIO

_POLL_S: Final = 0.5
QUIET_S: Final = 30.0
"""Interval of progress lines if stderr is not a terminal."""


class Progress:
    """Progress reports: the current stage, its progress, and its duration."""

    def __init__(
        self, stream: TextIO | None = None, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        """Write to a stream, or to stderr."""
        self._stream: Final = sys.stderr if stream is None else stream
        self._is_terminal: Final = self._stream.isatty()
        self._now_s: Final = now_s
        self._stage = ""
        self._begun_s = 0.0
        self._updated_s = 0.0
        self._width = 0

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        """Report the start of a stage, and its duration at the end."""
        self._stage, self._begun_s = name, self._now_s()
        self._updated_s = self._begun_s
        if self._is_terminal:
            self._overwrite(f"{name} …")
        yield
        self.write_line(f"{name}: {self._now_s() - self._begun_s:.1f} s")

    def update(self, how_far: str) -> None:
        """Report the progress of the stage: always on a terminal, else every 30 seconds."""
        text = f"{self._stage}: {how_far}"
        if self._is_terminal:
            self._overwrite(text)
        elif self._now_s() - self._updated_s >= QUIET_S:
            self._updated_s = self._now_s()
            self._line(text)

    def write_line(self, text: str) -> None:
        """Write a permanent line."""
        if self._is_terminal:
            self._overwrite("")
            self._stream.write("\r")
        self._line(text)

    @contextmanager
    def watching(self, how_far: Callable[[], str | None]) -> Generator[None]:
        """Poll and report the progress of the work in the `with` block."""
        over = Event()

        def watch() -> None:
            while not over.wait(_POLL_S):
                if text := how_far():
                    self.update(text)

        thread = Thread(target=watch, name="mockbroker-audit-progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _line(self, text: str) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def _overwrite(self, text: str) -> None:
        self._stream.write(f"\r{text.ljust(self._width)}")
        self._stream.flush()
        self._width = len(text)
