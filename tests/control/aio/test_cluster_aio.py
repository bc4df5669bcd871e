"""Async tests wait for a cluster without stopping it, wherever it lives."""

import asyncio
import inspect
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, Final, assert_type, cast, get_args

import pytest

from mockbroker import API, Cluster, at
from mockbroker.control import handles
from mockbroker.control.aio.awaited import AwaitedHandle
from mockbroker.control.aio.cluster_aio import ClusterAio
from mockbroker.control.cluster_clock import ClusterClock
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.faults_handle import FaultsHandle
from mockbroker.faults.fault import Fault
from mockbroker.faults.kinds import verbs
from mockbroker.journal.journal import Journal
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.wire import WireClient
from tests.support.faults import VERSION, codes, produce_to

PATIENCE = "10s"
PREFIX: Final = f"{handles.__name__}."


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


@pytest.mark.asyncio
async def test_methods_of_the_cluster_and_its_handles_are_coroutines() -> None:
    async with running(on_the_same_loop=True) as cluster:
        await cluster.aio.assert_no_loss("orders")
        fault = cluster.fault(API.PRODUCE).hold()
        with pytest.raises(AssertionError, match="faults that never fired"):
            await cluster.aio.assert_all_faults_fired()
        assert await cluster.aio.release(fault) == 0
        await cluster.aio.remove(fault)
        assert cluster.faults == []
        assert await cluster.aio.look(lambda _state, now_ms: now_ms) > 0
        assert await cluster.aio.records("orders", isolation="read_committed") == []
        await cluster.aio.create_topic("paid")
        async with await cluster.aio.begin_transaction("billing-1") as transaction:
            assert (await transaction.append("paid", "order-1")).offset == 0
        (paid,) = await cluster.aio.wait_for_records("paid", isolation="read_committed")
        assert paid.value == b"order-1"
        with pytest.raises(ValueError, match="broker 1 is running"):
            await cluster.aio.broker(1).start()
        partition = cluster.aio.partition("orders", 0)
        assert assert_type(await partition.elect(), int) == partition.blocking.leader == 1
        assert await partition.replica(1).forget_producer(7) is False
        await cluster.aio.transaction("orders-service").hold_ending()
        assert await cluster.aio.clock.freeze() == cluster.clock.now_ms
        watch = cluster.aio.watch(at.records("orders", 1))
        with pytest.raises(TimeoutError, match=r"did not occur within 1ms"):
            await watch.wait(timeout="1ms")
        await watch.stop()
        with pytest.raises(LookupError, match=r"there is no broker 9; there are 1"):
            await cluster.aio.kill(9)
        with pytest.raises(LookupError, match="there is no coordinator yet"):
            await cluster.aio.group("nobody").fence("a-member")


def methods_of(kind: type) -> set[str]:
    """Return the public methods of a class, without its properties."""
    return {
        name
        for name in dir(kind)
        if not name.startswith("_") and inspect.isfunction(getattr(kind, name))
    }


WITHOUT_A_COROUTINE: Final[dict[type, set[str]]] = {
    ClusterHandle: {"action_log", "client_config", "fault"},  # return at once
    FaultsHandle: {"add", "count", "index"},  # begins a fault; and those of a sequence
    Journal: {"close", "reset"},  # of the cluster, for itself
}
OF_A_FAULT: Final = {"wait", "wait_held", "wait_released", "release", "remove"}
WITHOUT_A_WAIT: Final = {"story", "with_part", *verbs()}


def wrapped(aio: type[AwaitedHandle[Any]]) -> type:
    """Return the class whose methods another one offers as coroutines."""
    bases: tuple[type, ...] = vars(aio)["__orig_bases__"]
    kind = get_args(bases[0])[0]
    assert isinstance(kind, type)
    return kind


def handle_classes() -> set[type]:
    """Return the classes of the handles that a cluster gives."""
    modules = [import_module(each.name) for each in walk_packages(handles.__path__, PREFIX)]
    return {
        each
        for module in modules
        for name, each in vars(module).items()
        if name.endswith("Handle") and isinstance(each, type) and not each.__subclasses__()
    }


def test_every_blocking_method_has_its_coroutine() -> None:
    subclasses = cast("list[type[AwaitedHandle[Any]]]", AwaitedHandle.__subclasses__())
    offered = {wrapped(aio): aio for aio in subclasses}
    missing = [
        f"{kind.__name__}.{name}"
        for kind, aio in offered.items()
        for name in methods_of(kind) - WITHOUT_A_COROUTINE.get(kind, set()) - methods_of(aio)
    ]
    assert not missing, "list them in mockbroker/control/aio"
    assert set(offered) >= {ClusterHandle, ClusterClock, Journal, *handle_classes()}
    assert methods_of(Fault) - WITHOUT_A_WAIT == OF_A_FAULT <= methods_of(ClusterAio)
