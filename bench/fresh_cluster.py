"""Start time of a new cluster in a running process.

    python -m bench.fresh_cluster mockbroker|rdkafka-mock|made|made-with-tls [--clusters 20]

Each cluster is made, asked for Metadata through its socket, and closed. Prints one JSON object with
the times from nothing to the answer; for those that are only made, to the end.
"""

import argparse
import asyncio
import json
import statistics
import struct
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Final, TypeAlias

Measure: TypeAlias = Callable[[int], list[float]]
"""Function that makes so many clusters, and returns the milliseconds of each."""
_METADATA: Final = struct.pack(">ihhihi", 14, 3, 1, 1, -1, 0)
"""Metadata v1 of no topic, without a client id."""


async def mockbroker_ms(clusters: int) -> list[float]:
    """Return the milliseconds of each new cluster on this loop."""
    from mockbroker import Cluster

    took: list[float] = []
    for _ in range(clusters):
        begin = time.perf_counter()
        async with Cluster(brokers=1) as cluster:
            host, _, port = cluster.bootstrap_servers.rpartition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(_METADATA)
            size = int.from_bytes(await reader.readexactly(4))
            await reader.readexactly(size)
            took.append((time.perf_counter() - begin) * 1000)
            writer.close()
            await writer.wait_closed()
    return took


async def made_ms(clusters: int, *, tls: bool) -> list[float]:
    """Return the milliseconds to make and close each cluster; with TLS, the key exists before."""
    from mockbroker import Cluster

    async with Cluster(tls=tls):
        pass
    took: list[float] = []
    for _ in range(clusters):
        begin = time.perf_counter()
        async with Cluster(tls=tls):
            pass
        took.append((time.perf_counter() - begin) * 1000)
    return took


def rdkafka_mock_ms(clusters: int) -> list[float]:
    """Return the milliseconds of each new mock cluster, made with the producer that holds it."""
    from confluent_kafka import Producer

    took: list[float] = []
    for _ in range(clusters):
        begin = time.perf_counter()
        producer = Producer({"test.mock.num.brokers": 1, "log_level": 2})
        producer.list_topics(timeout=10)
        took.append((time.perf_counter() - begin) * 1000)
        del producer
    return took


def _on_a_loop(work: Callable[[int], Coroutine[None, None, list[float]]]) -> Measure:
    def run(clusters: int) -> list[float]:
        try:
            import uvloop
        except ImportError:
            return asyncio.run(work(clusters))
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(work(clusters))

    return run


_MEASURE: Final[dict[str, Measure]] = {
    "mockbroker": _on_a_loop(mockbroker_ms),
    "made": _on_a_loop(partial(made_ms, tls=False)),
    "made-with-tls": _on_a_loop(partial(made_ms, tls=True)),
    "rdkafka-mock": rdkafka_mock_ms,
}


def main() -> None:
    """Measure, and print the median and the extremes."""
    parser = argparse.ArgumentParser(prog="python -m bench.fresh_cluster")
    parser.add_argument("competitor", choices=_MEASURE)
    parser.add_argument("--clusters", type=int, default=20)
    options = parser.parse_args()
    took = _MEASURE[options.competitor](options.clusters)
    summary = {"median_ms": statistics.median(took), "min_ms": min(took), "max_ms": max(took)}
    print(json.dumps({"clusters": summary}))


if __name__ == "__main__":
    main()
