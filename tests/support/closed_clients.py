"""Plugin of pytest that closes the clients of librdkafka that a failed call keeps alive.

A client in a cycle with the traceback of its exception connects to the ports of its cluster until
the next garbage collection, and a later cluster may have such a port.
"""

import gc
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

_TASKS: Final = Path("/proc/self/task")
_THREADS: Final[set[str]] = set()
"""Threads of this process after the last test."""


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish() -> None:
    """Collect garbage if a thread that the test has started and left is a client's."""
    if any(_is_client(thread) for thread in _threads() - _THREADS):
        gc.collect()
    _THREADS.clear()
    _THREADS.update(_threads())


def _threads() -> set[str]:
    """Return the ids of this process' threads; none without Linux' /proc."""
    try:
        return set(os.listdir(_TASKS))  # noqa: PTH208 - a path for each is slow
    except FileNotFoundError:
        return set()


def _is_client(thread: str) -> bool:
    """Return True for the main thread of a client."""
    with suppress(OSError):  # the thread has ended since
        return (_TASKS / thread / "comm").read_text().startswith("rdk:main")
    return False
