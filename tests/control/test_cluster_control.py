"""Changes of a running cluster run between two requests, with all the work that they defer."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from mockbroker.control.cluster_control import ClusterControl
from mockbroker.server.event_loop import LoopThread
from mockbroker.server.wall_clock import WallClock
from mockbroker.state.cluster_state import ClusterState
from tests.support.in_process import NOW_MS, Brokers


class Controlled:
    """A cluster in process, and the hand on it; its loop is the one that runs the test."""

    def __init__(self) -> None:
        self.brokers = Brokers()
        self.brokers.service.loop = asyncio.get_running_loop()
        self.control = ClusterControl(self.brokers.service, WallClock())


@pytest.mark.asyncio
async def test_a_change_runs_the_work_that_it_defers() -> None:
    controlled = Controlled()
    done: list[int] = []

    def change(cluster: ClusterState, now_ms: int) -> str:
        cluster.defer("a moment later", done.append)
        return f"at {now_ms}"

    assert controlled.control.change(change) == f"at {NOW_MS}"
    assert done == [NOW_MS]


@pytest.fixture
def elsewhere() -> Iterator[ClusterControl]:
    """Control a cluster whose loop runs on another thread."""
    thread = LoopThread("loop of a test")
    brokers = Brokers()
    brokers.service.loop = thread.loop
    yield ClusterControl(brokers.service, WallClock())
    thread.stop()


def test_changes_are_made_on_the_loops_own_thread(elsewhere: ClusterControl) -> None:
    def thread_name(_cluster: ClusterState, _now_ms: int) -> str:
        return threading.current_thread().name

    assert elsewhere.read(thread_name) == "loop of a test"
    assert elsewhere.change(thread_name) == "loop of a test"


def test_an_exception_of_a_change_is_raised_in_the_callers_thread(
    elsewhere: ClusterControl,
) -> None:
    def fail(_cluster: ClusterState, _now_ms: int) -> None:
        raise LookupError("not there")

    with pytest.raises(LookupError, match="not there"):
        elsewhere.change(fail)


def test_a_closed_control_refuses_everything(elsewhere: ClusterControl) -> None:
    elsewhere.close()
    with pytest.raises(RuntimeError, match="the cluster is not running"):
        elsewhere.read(time_of)
    with pytest.raises(RuntimeError, match="the cluster is not running"):
        elsewhere.change(time_of)
    with pytest.raises(RuntimeError, match="the cluster is not running"):
        elsewhere.time(lambda service, _clock: service)


def time_of(_cluster: ClusterState, now_ms: int) -> int:
    return now_ms
