"""Choice of the event loop, and a loop in its own thread."""

import asyncio
import sys
import threading
from collections.abc import Generator

import pytest

from mockbroker.server.event_loop import (
    LoopThread,
    YieldingWork,
    at_once,
    loop_factory,
    new_loop,
    run_on,
)
from tests.support.logged import Logged
from tests.support.virtual_loop import VirtualLoop


def test_without_uvloop_asyncio_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert loop_factory() is asyncio.new_event_loop


def test_uvloop_is_used_if_installed() -> None:
    uvloop = pytest.importorskip("uvloop")
    assert loop_factory() is uvloop.new_event_loop


NOTHING: dict[str, str] = {}


async def thread_name() -> str:
    return threading.current_thread().name


async def fails() -> None:
    raise LookupError("said there")


def test_a_coroutine_runs_in_the_thread_and_its_result_is_returned() -> None:
    thread = LoopThread("loop of a test")
    assert thread.call(thread_name()) == "loop of a test"
    with pytest.raises(LookupError, match="said there"):
        thread.call(fails())
    thread.stop()


def test_a_stopped_thread_is_gone() -> None:
    before = set(threading.enumerate())
    thread = LoopThread()
    loop = thread.loop
    assert set(threading.enumerate()) - before
    thread.stop()
    assert set(threading.enumerate()) == before
    assert loop.is_closed()


def test_a_failure_inside_the_loop_goes_to_the_structured_log(logged: Logged) -> None:
    loop = new_loop()

    def fail() -> None:
        raise ZeroDivisionError("a mistake of ours")

    loop.call_soon(fail)
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()
    (line,) = logged.named("loop_failed")
    assert isinstance(line["exc_info"], ZeroDivisionError)


def test_a_function_runs_on_the_loops_thread_and_its_result_is_returned() -> None:
    thread = LoopThread("loop of a test")
    try:
        assert run_on(thread.loop, lambda: threading.current_thread().name) == "loop of a test"
        with pytest.raises(KeyError, match="said there"):
            run_on(thread.loop, lambda: NOTHING["said there"])
    finally:
        thread.stop()


def test_a_function_runs_at_once_on_the_loops_own_thread() -> None:
    async def ask() -> str:
        return run_on(asyncio.get_running_loop(), lambda: threading.current_thread().name)

    assert asyncio.run(ask()) == threading.current_thread().name


def three_slices(done: list[str], fails: bool = False) -> Generator[None, None, str]:
    try:
        done.append("first")
        yield
        done.append("second")
        if fails:
            raise LookupError("in a slice")
        yield
        done.append("third")
        return "result"
    finally:
        done.append("closed")


def test_sliced_work_lets_others_run_between_its_slices() -> None:
    loop, done = VirtualLoop(), list[str]()
    work = YieldingWork(loop.as_loop, three_slices(done))
    work.run()
    done.append("other")
    loop.advance(1)
    assert done == ["first", "other", "second", "third", "closed"]
    assert work.answer.result() == "result"


def test_a_failure_of_a_slice_is_raised_where_the_result_is_awaited() -> None:
    loop, done = VirtualLoop(), list[str]()
    work = YieldingWork(loop.as_loop, three_slices(done, fails=True))
    work.run()
    loop.advance(1)
    with pytest.raises(LookupError, match="in a slice"):
        work.answer.result()


def test_sliced_work_that_is_given_up_is_closed() -> None:
    loop, done = VirtualLoop(), list[str]()
    work = YieldingWork(loop.as_loop, three_slices(done))
    work.run()
    work.give_up(RuntimeError("no longer wanted"))
    loop.advance(1)
    assert done == ["first", "closed"]
    with pytest.raises(RuntimeError, match="no longer wanted"):
        work.answer.result()


def test_all_slices_run_at_once() -> None:
    done: list[str] = []
    assert at_once(three_slices(done)) == "result"
    assert done == ["first", "second", "third", "closed"]
