"""Progress of long work on stderr: bars on a terminal, few lines elsewhere."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final, TextIO

from mockbroker.events.progress_bar import Advance, ProgressBar

_POLL_S: Final = 0.5
_STEPS: Final = 500
"""Number of reports of one piece of work."""
QUIET_S: Final = 30.0
"""Interval of progress lines if stderr is not a terminal."""


class Progress:
    """Progress reports: the current stage, its progress, and its duration."""

    def __init__(
        self,
        stream: TextIO | None = None,
        now_s: Callable[[], float] = time.monotonic,
        *,
        has_bars: bool = True,
        is_quiet: bool = False,
    ) -> None:
        """Write to a stream, or to stderr; without bars only lines, and nothing if quiet."""
        self._is_quiet: Final = is_quiet
        self._stream: Final = sys.stderr if stream is None else stream
        self._is_terminal: Final = self._stream.isatty() and has_bars
        self._now_s: Final = now_s
        self._stage = ""
        self._begun_s = 0.0
        self._updated_s = 0.0
        self._width = 0
        self._bar: ProgressBar | None = None

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        """Report the start of a stage, and its duration at the end."""
        self._stage, self._begun_s = name, self._now_s()
        self._updated_s = self._begun_s
        if self._is_terminal:
            self._overwrite(f"{name} …")
        try:
            yield
        finally:
            self._end_bar()
        self.write_line(f"{name}: {self._now_s() - self._begun_s:.1f} s")

    def reach(self, done: int, total: int, unit: str) -> None:
        """Report how much of the stage is done: with a bar on a terminal, else every 30 seconds."""
        if not self._is_terminal or self._is_quiet:
            self.update(f"{done:,} of {total:,} {unit}")
            return
        if self._bar is None:
            self._overwrite("")
            self._stream.write("\r")
            self._bar = ProgressBar(
                self._stage, total, unit, self._stream, self._now_s, begun_s=self._begun_s
            )
        self._bar.reach(done, total)

    @contextmanager
    def counting(self, total: int, unit: str) -> Generator[Advance]:
        """Yield a function that takes how much more was done of the total."""
        done = shown = 0

        def advance(count: int) -> None:
            nonlocal done, shown
            done += count
            if (done - shown) * _STEPS >= total:
                shown = done
                self.reach(done, total, unit)

        yield advance
        self._end_bar()

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
        self._end_bar()
        if self._is_terminal and not self._is_quiet:
            self._overwrite("")
            self._stream.write("\r")
        self._line(text)

    @contextmanager
    def watching(self, how_far: Callable[[], tuple[int, int] | None]) -> Generator[None]:
        """Poll and report the done and the total tasks of the work in the `with` block."""
        over = Event()

        def watch() -> None:
            while not over.wait(_POLL_S):
                if tasks := how_far():
                    self.reach(*tasks, "tasks")

        thread = Thread(target=watch, name="mockbroker-audit-progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _end_bar(self) -> None:
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.close()

    def _line(self, text: str) -> None:
        if self._is_quiet:
            return
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def _overwrite(self, text: str) -> None:
        if self._is_quiet:
            return
        self._stream.write(f"\r{text.ljust(self._width)}")
        self._stream.flush()
        self._width = len(text)
