"""The blocking methods of a cluster and its faults, to be awaited in an async test.

Each runs on a thread of its own while the test's loop goes on: also where the cluster itself lives
on that loop (`async with Cluster()`), which the blocking methods would stop.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from mockbroker.faults.fault import DEFAULT_TIMEOUT_S, Fault

if TYPE_CHECKING:
    from mockbroker.control.cluster_clock import Passed
    from mockbroker.control.cluster_handle import ClusterHandle

P = ParamSpec("P")
T = TypeVar("T")


class ClusterAio:
    """What waits, by the same names."""

    def __init__(self, cluster: "ClusterHandle") -> None:
        """Wait for what happens in a cluster."""
        self._cluster = cluster

    async def wait(self, fault: Fault, hits: int = 1, timeout: float = DEFAULT_TIMEOUT_S) -> None:
        """Wait until a fault has struck so often; see `Fault.wait`."""
        await asyncio.to_thread(fault.wait, hits, timeout)

    async def wait_held(
        self, fault: Fault, count: int = 1, timeout: float = DEFAULT_TIMEOUT_S
    ) -> None:
        """Wait until a fault has held so many calls; see `Fault.wait_held`."""
        await asyncio.to_thread(fault.wait_held, count, timeout)

    async def wait_released(
        self, fault: Fault, count: int = 1, timeout: float = DEFAULT_TIMEOUT_S
    ) -> None:
        """Wait until so many held calls were released; see `Fault.wait_released`."""
        await asyncio.to_thread(fault.wait_released, count, timeout)

    async def advance(self, by: str | int, *, keep_sessions: bool = True) -> "Passed":
        """Let time pass at once; see `ClusterClock.advance`."""
        return await self.run(self._cluster.clock.advance, by, keep_sessions=keep_sessions)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run anything else that waits for the cluster, and return what it returns or raise."""
        return await asyncio.to_thread(work, *args, **kwargs)
