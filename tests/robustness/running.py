"""A cluster on its own loop; an exception that reaches the loop fails the test."""

import asyncio
import contextlib
import resource
import socket
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mockbroker.control.running_cluster import RunningCluster
from mockbroker.server.event_loop import LoopThread
from mockbroker.settings.settings import Given, resolve_settings
from mockbroker.wire import WireClient

PATIENCE_S: Final = 30
HOST: Final = "127.0.0.2" if sys.platform == "linux" else "127.0.0.1"
"""Where nobody else calls: at 127.0.0.1 clients of other tests look for brokers that are gone, and
a port that was theirs may by now be ours. Other systems have to be told of a second address."""
STATM: Final = Path("/proc/self/statm")
FILES_WANTED: Final = 12_000


class Running:
    """A cluster of one broker with real sockets, and the clients a test has opened."""

    def __init__(self, topics: Sequence[str]) -> None:
        self.mistakes: list[str] = []
        self._thread = LoopThread()
        self._clients = contextlib.ExitStack()
        self._is_stopped = False
        self.cluster = RunningCluster(
            resolve_settings(Given(host=HOST, port=0, topics=topics)), self._thread.loop
        )
        self._thread.call(self._start())

    async def _start(self) -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, context: self.mistakes.append(repr(context))
        )
        await self.cluster.start()

    @property
    def address(self) -> tuple[str, int]:
        """Address of the broker."""
        (broker,) = self.cluster.state.brokers.values()
        return broker.host, broker.port

    def open(self) -> socket.socket:
        """Open a connection; it is closed at the end."""
        return self._clients.enter_context(socket.create_connection(self.address, PATIENCE_S))

    def client(self) -> WireClient:
        """Open a connection that sends and reads messages."""
        host, port = self.address
        return WireClient(f"{host}:{port}", timeout_s=PATIENCE_S)

    def until(self, condition: Callable[[], bool]) -> None:
        """Turn the loop until something is so."""

        async def turn() -> None:
            async with asyncio.timeout(PATIENCE_S):
                while not condition():  # noqa: ASYNC110 - states of others have no events
                    await asyncio.sleep(0)

        self._thread.call(turn())

    def connections(self) -> int:
        """Count the connections of the broker."""
        return len(self.cluster.listeners[0].connections)

    def leave(self) -> None:
        """Close every client, and see that the broker forgets them all."""
        self._clients.close()
        if self._is_stopped:
            return
        self.until(lambda: not self.connections())
        assert not self.cluster.service.purgatory.waiting
        assert not self.cluster.state.pending
        self._thread.call(self._assert_no_tasks())

    async def _assert_no_tasks(self) -> None:
        assert asyncio.all_tasks() == {asyncio.current_task()}

    def close(self) -> None:
        """Close every client and stop, whatever the test came to."""
        self._clients.close()
        self.stop()

    def stop(self) -> None:
        """Stop everything, once."""
        if self._is_stopped:
            return
        self._is_stopped = True
        try:
            self._thread.call(self.cluster.stop())
        finally:
            self._thread.stop()


@contextmanager
def running(*topics: str) -> Generator[Running]:
    """Run a broker; at the end nothing may be left, and nothing may have gone wrong."""
    broker = Running(topics)
    try:
        yield broker
        broker.leave()
    finally:
        broker.close()
    assert not broker.mistakes


@contextmanager
def many_files() -> Generator[None]:
    """Let this process have as many sockets as the test needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_WANTED if hard == resource.RLIM_INFINITY else min(hard, FILES_WANTED)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def resident_bytes() -> int:
    """Return the resident memory of this process, or its maximum on systems without /proc."""
    if STATM.exists():
        return int(STATM.read_text("ascii").split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
