"""Telemetry of `serve --otel`: exported over OTLP, as the standard variables of OpenTelemetry say.

The SDK reads most of the variables itself. This module reads those that choose an exporter, and
refuses what it cannot do.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import (
    ConsoleMetricExporter,
    MetricExporter,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter

from mockbroker.control.running_cluster import RunningCluster
from mockbroker.errors import SettingsError
from mockbroker.settings.telemetry_options import Telemetry
from mockbroker.telemetry.cluster_telemetry import EXPORT_S, ClusterTelemetry, within
from mockbroker.version import __version__

T = TypeVar("T")

PROTOCOL: Final = "http/protobuf"
_NONE: Final = "none"
_UNKNOWN: Final = "unknown_service"
"""Beginning of the name that the SDK gives a service without one."""
_TRACES: Final[Mapping[str, Callable[[], SpanExporter]]] = {
    "otlp": OTLPSpanExporter,
    "console": ConsoleSpanExporter,
}
_METRICS: Final[Mapping[str, Callable[[], MetricExporter]]] = {
    "otlp": OTLPMetricExporter,
    "console": ConsoleMetricExporter,
}


class ExportedTelemetry:
    """Telemetry of a cluster of which the process exports all."""

    def __init__(self, cluster: RunningCluster) -> None:
        """Observe a cluster, and export what is observed.

        Raises:
            SettingsError: a variable has a value that is not possible here.

        """
        for signal in ("", "TRACES_", "METRICS_"):
            _check_protocol(f"OTEL_EXPORTER_OTLP_{signal}PROTOCOL")
        make_spans = _chosen("OTEL_TRACES_EXPORTER", _TRACES)
        make_metrics = _chosen("OTEL_METRICS_EXPORTER", _METRICS)
        resource = _resource()
        try:
            self._tracers: Final = TracerProvider(resource=resource, shutdown_on_exit=False)
            if make_spans is not None:
                self._tracers.add_span_processor(BatchSpanProcessor(make_spans()))
            readers = (
                [] if make_metrics is None else [PeriodicExportingMetricReader(make_metrics())]
            )
        except ValueError as error:  # of the SDK, which does not name the variable
            raise SettingsError("--otel", "", f"an OTEL_ variable is invalid: {error}") from None
        self._meters: Final = MeterProvider(readers, resource, shutdown_on_exit=False)
        options = Telemetry(tracer_provider=self._tracers, meter_provider=self._meters)
        self._telemetry: Final = ClusterTelemetry(cluster, options)
        cluster.telemetry = self

    async def stop(self) -> None:
        """Export the last metrics, while the cluster still runs."""
        await self._telemetry.stop()

    async def close(self) -> None:
        """Export the rest, and end the exporters."""
        await self._telemetry.close()
        ends = (self._tracers.shutdown, self._meters.shutdown)
        await asyncio.gather(*(within(EXPORT_S, end) for end in ends))


def _resource() -> Resource:
    """Describe this process; the variables decide, except over the version."""
    resource = Resource.create({SERVICE_VERSION: __version__})
    name = resource.attributes.get(SERVICE_NAME)
    if isinstance(name, str) and name.startswith(_UNKNOWN):
        return resource.merge(Resource({SERVICE_NAME: "mockbroker"}))
    return resource


def _check_protocol(variable: str) -> None:
    """Check that a variable asks for no other protocol.

    Raises:
        SettingsError: it does.

    """
    value = os.environ.get(variable, "").strip()
    if value not in {"", PROTOCOL}:
        raise SettingsError(
            variable, value, f"allowed is {PROTOCOL}; collectors take it at port 4318"
        )


def _chosen(variable: str, exporters: Mapping[str, Callable[[], T]]) -> Callable[[], T] | None:
    """Return what makes the exporter that a variable names, otlp by default; None for none.

    Raises:
        SettingsError: there is no such exporter.

    """
    name = os.environ.get(variable, "").strip() or "otlp"
    if name == _NONE:
        return None
    if name not in exporters:
        raise SettingsError(variable, name, f"allowed are {', '.join([*exporters, _NONE])}")
    return exporters[name]
