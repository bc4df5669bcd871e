"""Plugin of pytest that closes the clients of librdkafka that tests leave, and refuses the others.

A client that outlives its cluster connects to the cluster's ports for ever, and a later server may
have such a port: another cluster, or one of Spark's. A client in a cycle with the traceback of its
exception lives until the next garbage collection, so there is one after each test that left a
client. What keeps a client longer than the tests of a file is a mistake of these tests: a cache, or
a delivery report that is not served and whose callback refers to the client.
"""

import gc
import os
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

_TASKS: Final = Path("/proc/self/task")
_THREADS: Final[set[str]] = set()
"""Threads of this process after the last test that are not a client's."""
_REFUSED: Final[set[str]] = set()
"""Clients for which a test has failed already."""


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish() -> None:
    """Collect garbage if the last test has left a client."""
    threads = _threads()
    clients = {thread for thread in threads - _THREADS if _is_client(thread)}
    if clients:
        gc.collect()
    _THREADS.clear()
    _THREADS.update(threads - clients)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, None, None]:
    """Fail the last test of a file if a client is left.

    The fixtures of the whole file have ended by then.
    """
    yield
    if nextitem is not None and nextitem.path == item.path:
        return
    if _clients():
        if isinstance(item, pytest.Function):
            item.funcargs.clear()
        gc.collect()
        left = _clients()
        _REFUSED.update(left)
        assert not left, f"clients of librdkafka outlive the tests of {item.path.name}"


def _clients() -> set[str]:
    return {thread for thread in _threads() - _REFUSED if _is_client(thread)}


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
