"""Plugin of pytest that closes the clients of librdkafka that a failed call keeps alive.

A client in a cycle with the traceback of its exception connects to the ports of its cluster until
the next garbage collection, and a later cluster may have such a port.
"""

import gc
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

_KNOWN: Final = [0]
"""Clients after the last test, such as those of fixtures."""


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish() -> None:
    """Collect garbage if there are more clients than before the test."""
    if _clients() > _KNOWN[0]:
        gc.collect()
    _KNOWN[0] = _clients()


def _clients() -> int:
    """Count the clients of this process by their main threads; always 0 without Linux' /proc."""
    count = 0
    for name in Path("/proc/self/task").glob("*/comm"):
        with suppress(OSError):  # the thread has ended since
            count += name.read_text().startswith("rdk:main")
    return count
