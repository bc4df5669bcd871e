"""Telemetry of one cluster: subscribes to its events, for spans and durations, while it runs."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import Final

from opentelemetry.metrics import get_meter_provider
from opentelemetry.trace import get_tracer_provider

from mockbroker.control.running_cluster import RunningCluster
from mockbroker.events.event_bus import EventBus, subscribe
from mockbroker.events.event_types import CallId, Event
from mockbroker.protocol.types import Uuid
from mockbroker.settings.telemetry_options import Telemetry
from mockbroker.telemetry.instruments import SCOPE, Instruments, instruments_of
from mockbroker.telemetry.measurements import Measurement, measured
from mockbroker.telemetry.request_durations import RequestDurations
from mockbroker.telemetry.request_spans import RequestSpans
from mockbroker.version import __version__

STOPPED: Final = "stopped"
"""Outcome of spans that the end of the cluster ends."""


EXPORT_S: Final = 1.5
"""Time that a stop waits for exporters: a collector may be unreachable, and they try again."""
_MEASURE_S: Final = 5.0


async def within(timeout_s: float, work: Callable[[], object]) -> None:
    """Run a function on a thread, and wait for its end, but not for longer than a time."""
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def run() -> None:
        try:
            work()
        finally:
            with suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(done.set)

    Thread(target=run, name="mockbroker-telemetry", daemon=True).start()
    with suppress(TimeoutError):
        await asyncio.wait_for(done.wait(), timeout_s)


class ClusterTelemetry:
    """Subscriber of one cluster's events that passes them on to OpenTelemetry."""

    def __init__(
        self,
        cluster: RunningCluster,
        options: Telemetry,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Observe a cluster from now on.

        Requests take the general path, as the fast one does not report when a request arrived.
        """
        self._cluster: Final = cluster
        self._monotonic_ns: Final = monotonic_ns
        self._since_1970_ns: Final = time.time_ns() - monotonic_ns()
        self._is_over = False
        tracers = options.tracer_provider or get_tracer_provider()
        self._meters: Final = options.meter_provider or get_meter_provider()
        self._spans: Final = RequestSpans(tracers.get_tracer(SCOPE, __version__), self)
        instruments: Instruments = instruments_of(self._meters)
        self._durations: Final = RequestDurations(instruments.durations, self.now_ns)
        self._unsubscribe: Final = subscribe(cluster.service, self._on_event)
        bus = cluster.service.event_bus
        assert isinstance(bus, EventBus), "it has subscribers"
        self._bus: Final = bus
        bus.request_followers += 1
        bus.broker_call_followers += 1
        assert cluster.counts is not None, "counts from now on"
        instruments.clusters.add(self)

    async def stop(self) -> None:
        """Export the last metrics, before the cluster can no longer be measured."""
        flush: Callable[[], object] | None = getattr(self._meters, "force_flush", None)
        if flush is not None:
            await within(EXPORT_S, flush)
        self._is_over = True

    async def close(self) -> None:
        """End what is open, after the last connection was closed."""
        self._is_over = True
        self._spans.end_all(STOPPED)
        self._bus.request_followers -= 1
        self._bus.broker_call_followers -= 1
        self._unsubscribe()

    def _on_event(self, event: Event) -> None:
        self._spans.on_event(event)
        self._durations.on_event(event)

    # As spans and instruments see the cluster

    @property
    def cluster_id(self) -> str:
        """The id of the cluster."""
        return self._cluster.state.cluster_id

    def measure(self) -> Sequence[Measurement]:
        """Measure the cluster; nothing once it has stopped."""
        if self._is_over:
            return ()
        try:
            return measured(self._cluster, timeout_s=_MEASURE_S)
        except (RuntimeError, TimeoutError):  # it stops meanwhile
            return ()

    def now_ns(self) -> int:
        """Return the real time in nanoseconds since 1970, by a clock that never goes back."""
        return self._since_1970_ns + self._monotonic_ns()

    def virtual_time_ms(self) -> int:
        """Return the time of the cluster's state."""
        return self._cluster.service.now_ms

    def serving(self) -> CallId | None:
        """Return the call that causes the present event."""
        return self._bus.serving

    def address_of(self, broker_id: int) -> tuple[str, int]:
        """Return the address that clients of a broker know."""
        broker = self._cluster.state.brokers[broker_id]
        return broker.host, broker.port

    def topic_name(self, topic_id: Uuid) -> str | None:
        """Return the name of a topic."""
        topic = self._cluster.state.topics.by_id(topic_id)
        return None if topic is None else topic.name
