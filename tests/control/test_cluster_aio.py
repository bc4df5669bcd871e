"""Async tests wait for a cluster without stopping it, wherever it lives."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from mockbroker import API, Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.wire import WireClient
from tests.support.faults import VERSION, codes, produce_to

PATIENCE = "10s"


@asynccontextmanager
async def running(*, on_the_same_loop: bool) -> AsyncGenerator[Cluster]:
    cluster = Cluster(topics={"orders": 1})
    if on_the_same_loop:
        async with cluster:
            yield cluster
    else:
        with cluster:
            yield cluster


def produced(cluster: Cluster) -> dict[tuple[str, int], int]:
    with WireClient(cluster.bootstrap_servers) as client:
        return codes(client.ask(produce_to(0), VERSION, ProduceResponse))


@pytest.mark.asyncio
@pytest.mark.parametrize("on_the_same_loop", [True, False])
async def test_held_and_released_calls_can_be_awaited(on_the_same_loop: bool) -> None:
    async with running(on_the_same_loop=on_the_same_loop) as cluster:
        fault = cluster.fault(API.PRODUCE).hold()
        client = asyncio.create_task(cluster.aio.run(produced, cluster))  # noqa: RUF100,TID251
        await cluster.aio.wait(fault, timeout=PATIENCE)
        await cluster.aio.wait_held(fault, timeout=PATIENCE)
        assert await cluster.aio.run(fault.release) == 1
        await cluster.aio.wait_released(fault, timeout=PATIENCE)
        assert await client == {("orders", 0): ErrorCode.NONE}


@pytest.mark.asyncio
async def test_the_clock_is_advanced_without_blocking_the_loop() -> None:
    async with running(on_the_same_loop=True) as cluster:
        before_ms = cluster.clock.now_ms
        passed = await cluster.aio.advance("7d")
        assert passed.now_ms - before_ms >= 7 * 86_400_000


@pytest.mark.asyncio
async def test_a_duration_without_a_unit_is_deprecated_where_it_is_written() -> None:
    async with running(on_the_same_loop=True) as cluster:
        with pytest.warns(DeprecationWarning, match=r"write advance\('7ms'\)") as told:
            await cluster.aio.advance(7)
        assert told[0].filename == __file__


@pytest.mark.asyncio
async def test_a_wait_without_result_times_out() -> None:
    async with running(on_the_same_loop=True) as cluster:
        fault = cluster.fault(API.PRODUCE).drop_request()
        with pytest.raises(TimeoutError, match=r"no 1 hits within 10ms"):
            await cluster.aio.wait(fault, timeout="10ms")
