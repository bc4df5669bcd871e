"""Which event loop, and one that runs in a thread of its own."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from mockbroker.events import logging

T = TypeVar("T")


def new_loop() -> asyncio.AbstractEventLoop:
    """Make a loop whose own failures go to the structured log."""
    loop = loop_factory()()
    loop.set_exception_handler(_log_failure)
    return loop


def _log_failure(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    logging.error("loop_failed", why=context.get("message"), exc_info=context.get("exception"))


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Give uvloop's loops where it is installed (extra `fast`), else asyncio's own."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


def is_running_on(loop: asyncio.AbstractEventLoop) -> bool:
    """Tell whether the caller runs on a loop's own thread, as one of its callbacks."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def run_on(loop: asyncio.AbstractEventLoop, work: Callable[[], T]) -> T:
    """Run a function on a loop, from any thread, and return what it returns or raise.

    On the loop's own thread it runs at once: there nothing else can be in the middle of anything.
    """
    if is_running_on(loop):
        return work()
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as failure:  # noqa: BLE001 - it is raised where it was asked for
            answer.set_exception(failure)

    loop.call_soon_threadsafe(run)
    return answer.result()


class LoopThread:
    """A loop in a thread of its own, for tests and programs that have none."""

    def __init__(self, name: str = "mockbroker") -> None:
        """Start the thread."""
        self._loop = new_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that runs there."""
        return self._loop

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine there, wait for it here, and return what it returns or raise."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def stop(self) -> None:
        """Stop the loop and wait for its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
