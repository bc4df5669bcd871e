"""Choice of the event loop, and a loop in its own thread."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from mockbroker.events import logging

T = TypeVar("T")

DEFAULT_TIMEOUT_S: Final = 5.0
"""How long a test's thread waits for something on the loop, unless told otherwise."""


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


def run_on(loop: asyncio.AbstractEventLoop, work: Callable[[], T]) -> T:
    """Run a function on a loop from any thread; return its result or raise its exception.

    On the loop's own thread it runs at once, because no other callback can be in progress there.
    """
    if is_running_on(loop):
        return work()
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as failure:  # noqa: BLE001 - raised in the caller's thread
            answer.set_exception(failure)

    loop.call_soon_threadsafe(run)
    return answer.result()


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
