"""Choice of the event loop, and a loop in its own thread."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from types import ModuleType
from typing import Any, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from mockbroker.events import logging

T = TypeVar("T")

PAUSE_S: Final = 0.001
"""Pause between two slices; without one, other threads would get no turn at the interpreter."""

_PROCESSES: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, int]] = WeakKeyDictionary()
"""Ids of the processes in which the clusters of loops have started."""
_FORKED: Final = (
    "the cluster runs in process {0}; this is a forked child of it, process {1}, where its event"
    " loop stands still: control the cluster in the parent, and let the child use"
    " `bootstrap_servers` only, or start a cluster of its own"
)


def note_process(loop: asyncio.AbstractEventLoop) -> None:
    """Note that a loop runs in this process."""
    _PROCESSES[loop] = os.getpid()


def is_forked(loop: asyncio.AbstractEventLoop) -> bool:
    """Return True if this process is a forked child of the one that runs a loop."""
    return _PROCESSES.get(loop, os.getpid()) != os.getpid()


def check_process(loop: asyncio.AbstractEventLoop) -> None:
    """Check that this process can use a loop.

    Raises:
        RuntimeError: it is a forked child of the one that does.

    """
    if is_forked(loop):
        raise RuntimeError(_FORKED.format(_PROCESSES[loop], os.getpid()))


def new_loop() -> asyncio.AbstractEventLoop:
    """Create a loop whose unhandled exceptions go to the structured log."""
    loop = loop_factory()()
    loop.set_exception_handler(_log_failure)
    return loop


def _log_failure(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    logging.error("loop_failed", why=context.get("message"), exc_info=context.get("exception"))


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return uvloop's loop factory if uvloop is installed (extra `fast`), else asyncio's."""
    try:
        # Imported late: only what starts a loop needs it, and it may not be installed.
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


def is_running_on(loop: asyncio.AbstractEventLoop) -> bool:
    """Return True if the caller is a callback on the loop's own thread."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def check_may_wait(loop: asyncio.AbstractEventLoop, instead: str) -> None:
    """Check that the caller may wait for what happens on a loop; `instead` is what to write.

    Raises:
        RuntimeError: the process is a forked child, or the loop would wait for itself.

    """
    check_process(loop)
    if is_running_on(loop):
        raise RuntimeError(f"this call would block its own event loop: use `{instead}`")


def running_trio() -> ModuleType | None:
    """Return the module `trio` if the caller is a task of it, else None."""
    trio = sys.modules.get("trio")
    if trio is None:
        return None
    try:
        trio.lowlevel.current_task()
    except RuntimeError:
        return None
    return trio


async def completed_in_thread(work: Callable[[], T]) -> T:
    """Run a function on a thread, in asyncio or trio, to its end even if it is cancelled."""
    trio = running_trio()
    if trio is not None:
        with trio.CancelScope(shield=True):
            result: T = await trio.to_thread.run_sync(work)
        return result
    working = asyncio.ensure_future(asyncio.to_thread(work))
    cancellation: asyncio.CancelledError | None = None
    while not working.done():
        try:
            await asyncio.shield(working)
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation
    return working.result()


def run_on(
    loop: asyncio.AbstractEventLoop, work: Callable[[], T], timeout_s: float | None = None
) -> T:
    """Run a function on a loop from any thread; return its result or raise its exception.

    On the loop's own thread it runs at once, because no other callback can be in progress there.

    Raises:
        RuntimeError: this process is a forked child of the one that runs the loop.
        TimeoutError: the loop has not run it within `timeout_s`.

    """
    check_process(loop)
    if is_running_on(loop):
        return work()
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as failure:  # noqa: BLE001 - raised in the caller's thread
            answer.set_exception(failure)

    loop.call_soon_threadsafe(run)
    return answer.result(timeout_s)


class YieldingWork(Generic[T]):
    """Long work on a loop, which serves others wherever the work yields."""

    def __init__(self, loop: asyncio.AbstractEventLoop, slices: Generator[None, None, T]) -> None:
        """Prepare the work; `run` begins it."""
        self._loop = loop
        self._slices = slices
        self.answer: Future[T] = Future()
        """Result of the last slice, or the exception that one of them raised."""

    def run(self) -> None:
        """Run the next slice, and the others after pauses; call this on the loop."""
        if self.answer.done():
            return
        try:
            next(self._slices)
        except StopIteration as end:
            self.answer.set_result(end.value)
        except BaseException as failure:  # noqa: BLE001 - raised in the caller's thread
            self.answer.set_exception(failure)
        else:
            self._loop.call_later(PAUSE_S, self.run)

    def give_up(self, why: Exception) -> None:
        """End between two slices, and raise an exception in the thread that waits."""
        self._slices.close()
        self.answer.set_exception(why)


def at_once(slices: Generator[None, None, T]) -> T:
    """Run all slices without a pause, and return their result."""
    while True:
        try:
            next(slices)
        except StopIteration as end:
            answer: T = end.value
            return answer


class LoopThread:
    """Event loop in its own thread, for tests and programs without one."""

    def __init__(self, name: str = "mockbroker") -> None:
        """Start the thread and its loop."""
        self._loop = new_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """Loop of the thread."""
        return self._loop

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop, and return its result or raise its exception."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def stop(self) -> None:
        """Stop the loop and wait for its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
