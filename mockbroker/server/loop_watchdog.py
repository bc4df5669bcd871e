"""Watchdog of a test's event loop, which a blocking call stops while a client waits for it."""

import asyncio
import contextlib
import linecache
import select
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Final, NamedTuple

BLOCKED_S: Final = 1.0
"""How long a loop may be blocked while a client waits."""
_INSTALLED: Final = ("site-packages", "dist-packages")
_NOT_OF_A_TEST: Final = {"mockbroker", *sys.stdlib_module_names}


class Block(NamedTuple):
    """A call that blocks an event loop."""

    path: str
    line: int
    function: str
    blocked_s: float

    @property
    def source(self) -> str:
        """The line of the call."""
        return linecache.getline(self.path, self.line).strip()


class LoopWatchdog:
    """Thread that reports each block of an event loop once, by the call of the test.

    It does not wake the loop unless a client waits, and then asks it for a sign of life.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        files: Callable[[], Sequence[int]],
        report: Callable[[Block], None],
        blocked_s: float | None = None,
    ) -> None:
        """Take the loop of this thread, and a function that lists the files it should read."""
        self._loop = loop
        self._files = files
        self._report = report
        self._blocked_s = BLOCKED_S if blocked_s is None else blocked_s
        self._watched = threading.get_ident()
        self._asked_s: float | None = None
        """When the loop was asked for a sign of life that it has not given yet."""
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mockbroker-watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop to watch, and leave no thread."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        reported_s: float | None = None
        while not self._stopping.wait(self._blocked_s / 2):
            asked_s, now_s = self._asked_s, time.monotonic()
            if asked_s is None:
                self._ask(now_s)
            elif asked_s != reported_s and now_s - asked_s >= self._blocked_s:
                reported_s = asked_s
                block = self._block(now_s - asked_s)
                if block is not None:
                    self._report(block)

    def _ask(self, now_s: float) -> None:
        if not has_unread(self._files()):
            return
        self._asked_s = now_s
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._answer)

    def _answer(self) -> None:
        self._asked_s = None

    def _block(self, blocked_s: float) -> Block | None:
        frames = sys._current_frames()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        frame = frames.get(self._watched)
        if frame is None:
            return None
        calls = callers(frame)
        call = next((each for each in calls if is_of_a_test(each)), calls[0])
        code = call.f_code
        return Block(code.co_filename, call.f_lineno, code.co_qualname, blocked_s)


def callers(frame: FrameType) -> list[FrameType]:
    """Return a frame and its callers, the innermost first."""
    frames = [frame]
    while frames[-1].f_back is not None:
        frames.append(frames[-1].f_back)
    return frames


def is_of_a_test(frame: FrameType) -> bool:
    """Return False for a frame of Python, of an installed package, or of mockbroker."""
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    path = frame.f_code.co_filename
    return package not in _NOT_OF_A_TEST and not any(each in path for each in _INSTALLED)


def has_unread(files: Sequence[int]) -> bool:
    """Return True if a socket has a connection or bytes that have not been read."""
    try:
        if hasattr(select, "poll"):
            poll = select.poll()
            for each in files:
                poll.register(each, select.POLLIN)
            return any(events & select.POLLIN for _, events in poll.poll(0))
        return bool(files and select.select(files, (), (), 0)[0])
    except (OSError, ValueError):  # one was closed in the meantime
        return False
