"""Blocking methods of a cluster and its faults, as coroutines for async tests.

Each method runs on its own thread, so that the event loop of the test continues: the cluster itself
may run on that loop (`async with Cluster()`), which a blocking call would stop.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from mockbroker.settings.duration import DEFAULT_TIMEOUT, Duration, with_unit

if TYPE_CHECKING:
    from mockbroker.control.cluster_clock import Passed
    from mockbroker.control.cluster_handle import ClusterHandle
    from mockbroker.faults.fault import Fault

P = ParamSpec("P")
T = TypeVar("T")


class ClusterAio:
    """Blocking methods by their names, as coroutines."""

    def __init__(self, cluster: "ClusterHandle") -> None:
        """Wrap the blocking methods of a cluster."""
        self._cluster = cluster

    async def wait(
        self, fault: "Fault", hits: int = 1, timeout: Duration = DEFAULT_TIMEOUT
    ) -> None:
        """Wait until a fault has fired `hits` times; see `Fault.wait`."""
        timeout = with_unit("wait(timeout={})", timeout, "s")
        await asyncio.to_thread(fault.wait, hits, timeout)

    async def wait_held(
        self, fault: "Fault", count: int = 1, timeout: Duration = DEFAULT_TIMEOUT
    ) -> None:
        """Wait until a fault has held `count` calls; see `Fault.wait_held`."""
        timeout = with_unit("wait_held(timeout={})", timeout, "s")
        await asyncio.to_thread(fault.wait_held, count, timeout)

    async def wait_released(
        self, fault: "Fault", count: int = 1, timeout: Duration = DEFAULT_TIMEOUT
    ) -> None:
        """Wait until `count` held calls were released; see `Fault.wait_released`."""
        timeout = with_unit("wait_released(timeout={})", timeout, "s")
        await asyncio.to_thread(fault.wait_released, count, timeout)

    async def advance(self, by: Duration, *, keep_sessions: bool = True) -> "Passed":
        """Move the clock ahead; see `ClusterClock.advance`."""
        by = with_unit("advance({})", by)
        return await self.run(self._cluster.clock.advance, by, keep_sessions=keep_sessions)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run another blocking function, and return its result."""
        return await asyncio.to_thread(work, *args, **kwargs)
