"""A loop that a test blocks while a client waits is reported, once, by the blocking call."""

import asyncio
import inspect
import socket
import threading
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from queue import Queue
from typing import cast

import pytest
from confluent_kafka import Producer

from mockbroker import Cluster, MockbrokerWarning
from mockbroker.server import loop_watchdog
from mockbroker.server.loop_watchdog import Block, LoopWatchdog, callers, has_unread, is_of_a_test
from tests.support.logged import Logged

PATIENCE_S = 10.0
BLOCKED_S = 0.01


@pytest.fixture
def unread() -> Iterator[socket.socket]:
    """Give a socket with a byte that nobody reads."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.send(b"x")
        yield ours


class SilentLoop:
    """Loop that answers when the test says so."""

    def __init__(self) -> None:
        self.asked: Queue[Callable[[], object]] = Queue()

    def call_soon_threadsafe(self, callback: Callable[[], object]) -> None:
        self.asked.put(callback)


class Watched:
    """A watched loop, with what was reported of it and how often its files were looked at."""

    def __init__(self, loop: object, *files: socket.socket) -> None:
        self.blocks: list[Block] = []
        self.has_reported = threading.Event()
        self.has_looked = threading.Semaphore(0)
        self._files = files
        self._watchdog = LoopWatchdog(
            cast("asyncio.AbstractEventLoop", loop), self._open_files, self._report, BLOCKED_S
        )

    def _open_files(self) -> list[int]:
        self.has_looked.release()
        return [each.fileno() for each in self._files]

    def _report(self, block: Block) -> None:
        self.blocks.append(block)
        self.has_reported.set()

    def stop(self) -> None:
        self._watchdog.stop()


@contextmanager
def watched(loop: object, *files: socket.socket) -> Generator[Watched]:
    watched = Watched(loop, *files)
    yield watched
    watched.stop()


@pytest.fixture
def silent() -> SilentLoop:
    return SilentLoop()


def here() -> int:
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


@pytest.mark.asyncio
async def test_a_blocking_call_is_reported_by_its_line(unread: socket.socket) -> None:
    with watched(asyncio.get_running_loop(), unread) as watch:
        assert watch.has_reported.wait(PATIENCE_S)
        line = here() - 1
    block = watch.blocks[0]
    assert (block.path, block.line) == (__file__, line)
    assert block.function == "test_a_blocking_call_is_reported_by_its_line"
    assert block.source == "assert watch.has_reported.wait(PATIENCE_S)"
    assert block.blocked_s >= BLOCKED_S


def test_each_block_is_reported_once(silent: SilentLoop, unread: socket.socket) -> None:
    with watched(silent, unread) as watch:
        for count in (1, 2):
            answer = silent.asked.get(timeout=PATIENCE_S)
            assert watch.has_reported.wait(PATIENCE_S)
            watch.has_reported.clear()
            assert not watch.has_reported.wait(5 * BLOCKED_S)
            assert len(watch.blocks) == count
            answer()


def test_a_loop_that_answers_is_not_reported(silent: SilentLoop, unread: socket.socket) -> None:
    with watched(silent, unread) as watch:
        for _ in range(5):
            silent.asked.get(timeout=PATIENCE_S)()
    assert len(watch.blocks) == 0


def test_a_loop_without_a_waiting_client_is_not_asked(silent: SilentLoop) -> None:
    idle, other = socket.socketpair()
    with idle, other, watched(silent, idle) as watch:
        for _ in range(5):
            assert watch.has_looked.acquire(timeout=PATIENCE_S)
    assert silent.asked.empty()
    assert watch.blocks == []


def test_a_closed_loop_ends_nothing(unread: socket.socket) -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    with watched(loop, unread) as watch:
        assert watch.has_reported.wait(PATIENCE_S)  # nobody serves the client


def test_sockets_that_are_closed_meanwhile_are_no_waiting_clients(unread: socket.socket) -> None:
    file = unread.fileno()
    assert has_unread([file])
    unread.close()
    assert not has_unread([file])
    assert not has_unread([])


def test_without_poll_sockets_are_selected(
    monkeypatch: pytest.MonkeyPatch, unread: socket.socket
) -> None:
    monkeypatch.delattr("select.poll", raising=False)
    assert has_unread([unread.fileno()])
    assert not has_unread([])


def test_frames_of_python_and_of_packages_are_not_the_tests() -> None:
    frame = inspect.currentframe()
    assert frame is not None
    own, *outer = callers(frame)
    assert is_of_a_test(own)
    assert not any(is_of_a_test(each) for each in outer if "_pytest" in each.f_code.co_filename)


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_client_that_blocks_the_loop_of_its_cluster_gets_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loop_watchdog, "BLOCKED_S", BLOCKED_S)
    logged = Logged()
    logged.watch(monkeypatch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        async with Cluster(topics={"orders": 1}) as cluster:
            producer = Producer(cluster.client_config("confluent"))
            producer.produce("orders", b"order-1")
            while not caught:
                producer.flush(0.05)
            line = here() - 1
            assert await asyncio.to_thread(producer.flush, PATIENCE_S) == 0
            assert [each.value for each in cluster.records("orders")] == [b"order-1"]
    warning = caught[0]  # on a busy machine, there may be others
    assert (warning.category, warning.filename) == (MockbrokerWarning, __file__)
    assert warning.lineno == line
    text = str(warning.message)
    assert text.startswith("the event loop of the cluster has been blocked for ")
    assert f"{__file__}:{line} in test_a_client" in text
    assert "`producer.flush(0.05)`" in text
    assert "Cluster(thread=True)" in text
    assert logged.named("loop_blocked")[0] == {"why": text}


@pytest.mark.slow
@pytest.mark.asyncio
async def test_where_warnings_are_errors_the_test_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_watchdog, "BLOCKED_S", BLOCKED_S)
    logged = Logged()
    logged.watch(monkeypatch)
    cluster = await Cluster().__aenter__()
    producer = Producer(cluster.client_config("confluent"))
    producer.produce("orders", b"order-1")
    while not logged.named("loop_blocked"):
        producer.flush(0.05)
    producer.purge()
    with pytest.raises(MockbrokerWarning, match="has been blocked for"):
        await cluster.__aexit__(None, None, None)
    async with cluster:  # which was not blocked this time
        pass


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_cluster_on_its_own_thread_serves_a_blocking_client_in_a_coroutine() -> None:
    async with Cluster(topics={"orders": 1}, thread=True) as cluster:
        producer = Producer(cluster.client_config("confluent"))
        producer.produce("orders", b"order-1")
        assert producer.flush(PATIENCE_S) == 0
        assert len(cluster.records("orders")) == 1
