"""Durations of faults, of the clock and of waits."""

from datetime import UTC, datetime, timedelta

from mockbroker import Cluster


def right(cluster: Cluster) -> int:
    slow = cluster.fault("Produce").delay(timedelta(seconds=0.25))
    cluster.fault("Fetch").throttle("2s")
    cluster.fault("Metadata").hold(until=timedelta(seconds=1))
    slow.wait(timeout="10s")
    slow.wait_held(timeout=timedelta(minutes=1))
    cluster.delay_markers("20ms", probability=0.5)
    cluster.clock.set(datetime(2030, 1, 1, tzinfo=UTC))
    return cluster.clock.advance(timedelta(days=7)).now_ms


async def right_without_blocking(cluster: Cluster) -> int:
    slow = cluster.fault("Produce").delay("250ms")
    await cluster.aio.wait(slow, timeout="10s")
    return (await cluster.aio.advance("7d")).now_ms


def wrong(cluster: Cluster) -> None:
    cluster.fault("Produce").delay()  # refused
    cluster.fault("Produce").delay(b"250ms")  # refused
    cluster.fault("Produce").hold(until=["1s"])  # refused
    cluster.fault("Produce").observe().wait(timeout=None)  # refused
    cluster.clock.advance(datetime(2030, 1, 1, tzinfo=UTC))  # refused
    cluster.clock.set(timedelta(days=7))  # refused
