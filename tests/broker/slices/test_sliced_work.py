"""Work in slices: it runs only while the loop waits for it, and in turns."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from mockbroker.broker.slices.sliced_work import SlicedWork, SliceQueue
from tests.support.virtual_loop import VirtualLoop


class Steps:
    """Work of three slices that writes down what it does."""

    def __init__(self, name: str, seen: list[str]) -> None:
        self._name = name
        self._seen = seen

    def __call__(self, pause: Callable[[], None]) -> str:
        for number in range(3):
            self._seen.append(f"{self._name}{number}")
            if number < 2:
                pause()
        return self._name


def test_work_goes_on_where_it_paused() -> None:
    seen: list[str] = []
    work = SlicedWork(Steps("a", seen))
    work.run_slice()
    assert seen == ["a0"]
    work.run_slice()
    assert seen == ["a0", "a1"]
    assert not work.is_done
    work.run_slice()
    assert work.is_done
    assert work.result() == "a"


def test_its_thread_ends_with_it() -> None:
    threads = threading.active_count()
    work = SlicedWork(Steps("a", []))
    work.run_slice()
    assert threading.active_count() == threads + 1
    work.abandon()
    assert threading.active_count() == threads


def test_what_work_raises_is_raised_by_its_result() -> None:
    def fails(pause: Callable[[], None]) -> None:
        pause()
        raise ValueError("spoiled")

    work = SlicedWork(fails)
    work.run_slice()
    work.run_slice()
    with pytest.raises(ValueError, match="spoiled"):
        work.result()


def test_work_takes_turns_one_slice_in_each_round() -> None:
    loop, seen, done = VirtualLoop(), list[str](), list[str]()
    queue = SliceQueue(loop.as_loop)
    for name in "ab":
        queue.add(SlicedWork(Steps(name, seen)), lambda work: done.append(work.result()))
    loop.call_soon(lambda: seen.append("other"))
    loop.run()
    assert seen == ["a0", "other", "b0", "a1", "b1", "a2", "b2"]
    assert done == ["a", "b"]
    assert loop.is_idle


def test_abandoned_work_is_not_continued() -> None:
    loop, seen, done = VirtualLoop(), list[str](), list[str]()
    threads = threading.active_count()
    queue = SliceQueue(loop.as_loop)
    queue.add(SlicedWork(Steps("a", seen)), lambda work: done.append(work.result()))
    queue.add(SlicedWork(Steps("b", seen)), lambda work: done.append(work.result()))
    loop.call_soon(queue.abandon)
    loop.run()
    assert (seen, done) == (["a0"], [])
    assert threading.active_count() == threads


def test_in_the_debug_mode_of_asyncio_work_is_done_without_another_thread() -> None:
    async def run() -> int:
        loop = asyncio.get_running_loop()
        loop.set_debug(True)
        done: asyncio.Future[int] = loop.create_future()

        def schedules(pause: Callable[[], None]) -> int:
            pause()
            loop.call_soon(lambda: None)
            return threading.get_ident()

        SliceQueue(loop).add(SlicedWork(schedules), lambda work: done.set_result(work.result()))
        return await done

    assert asyncio.run(run()) == threading.get_ident()
