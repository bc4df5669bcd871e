"""Blocking methods are awaited in asyncio and in trio, whose tests have clusters of their own."""

import threading

import anyio
import anyio.to_thread
import pytest
from confluent_kafka import Producer

from mockbroker import API, Cluster
from mockbroker.control.aio.awaited import AwaitedHandle

PATIENCE_S = 10.0


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    backend: str = request.param
    return backend


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_cluster_and_a_blocking_client_work_in_both_libraries() -> None:
    async with Cluster(topics={"orders": 1}, thread=True) as cluster:
        lost = cluster.fault(API.PRODUCE).lose_response().once()
        settings = {"retry.backoff.ms": 1, "enable.idempotence": True}
        producer = Producer(cluster.client_config("confluent", **settings))
        producer.produce("orders", b"order-1")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.to_thread.run_sync, producer.flush, PATIENCE_S)
            await cluster.aio.wait(lost, timeout="10s")
        await cluster.aio.assert_exactly_once("orders")
        assert [each.value for each in await cluster.aio.records("orders")] == [b"order-1"]
        now_ms = await cluster.aio.clock.freeze()
        assert (await cluster.aio.clock.advance("7d")).now_ms == now_ms + 7 * 86_400_000


@pytest.mark.anyio
async def test_a_fixture_is_used_by_a_test_of_both_libraries(mockbroker: Cluster) -> None:
    fault = mockbroker.fault(API.PRODUCE).observe()
    with pytest.raises(TimeoutError, match="no 1 hits within"):
        await mockbroker.aio.wait(fault, timeout="1ms")
    await mockbroker.aio.remove(fault)


def thread_names() -> list[str]:
    return [each.name for each in threading.enumerate()]


@pytest.mark.anyio
async def test_a_cluster_leaves_no_thread_and_no_port(anyio_backend: str) -> None:
    async with Cluster() as cluster:
        assert ("mockbroker" in thread_names()) == (anyio_backend == "trio")
        assert len(cluster.brokers) == 1
    with pytest.raises(RuntimeError, match="the cluster is not running"):
        _ = cluster.brokers
    assert not [each for each in thread_names() if each.startswith("mockbroker")]


@pytest.mark.anyio
async def test_a_cancelled_test_stops_its_cluster() -> None:
    cluster = Cluster(thread=True)
    with anyio.CancelScope() as scope:
        async with cluster:
            scope.cancel()
            await anyio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    with pytest.raises(RuntimeError, match="the cluster is not running"):
        _ = cluster.brokers


@pytest.mark.anyio
async def test_a_cancelled_wait_ends_at_once(mockbroker: Cluster) -> None:
    fault = mockbroker.fault(API.PRODUCE).observe()
    with anyio.move_on_after(0.001) as scope:
        await mockbroker.aio.wait(fault, timeout="100ms")
    assert scope.cancelled_caught
    fault.remove()


@pytest.mark.asyncio
async def test_a_method_that_is_not_listed_is_a_coroutine_too() -> None:
    class Kettle:
        temperature = 20

        def boil(self) -> str:
            return threading.current_thread().name

    kettle = AwaitedHandle(Kettle())
    assert await kettle.boil() != threading.current_thread().name
    with pytest.raises(AttributeError, match="Kettle has no method 'temperature'; its properties"):
        _ = kettle.temperature


def test_without_asyncio_and_trio_the_coroutines_say_what_they_need() -> None:
    with Cluster() as cluster:
        killing = cluster.aio.kill(1)
        with pytest.raises(RuntimeError, match="works in asyncio and in trio"):
            killing.send(None)
