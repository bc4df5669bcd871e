"""Spans and metrics of a cluster, kept in memory."""

from collections.abc import Mapping
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from mockbroker import Telemetry


class Collected:
    """Providers that keep what they get in memory."""

    def __init__(self) -> None:
        self._spans = InMemorySpanExporter()
        self._reader = InMemoryMetricReader()
        tracers = TracerProvider(shutdown_on_exit=False)
        tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self.telemetry = Telemetry(
            tracer_provider=tracers,
            meter_provider=MeterProvider([self._reader], shutdown_on_exit=False),
        )

    @property
    def all_spans(self) -> list[ReadableSpan]:
        """The spans that have ended, in the order of their ends."""
        return list(self._spans.get_finished_spans())

    def spans(self, name: str) -> list[ReadableSpan]:
        """Return the spans of a name."""
        return [each for each in self.all_spans if each.name == name]

    def span(self, name: str) -> ReadableSpan:
        """Return the one span of a name."""
        (span,) = self.spans(name)
        return span

    def metrics(self) -> dict[str, list[Any]]:
        """Return the data points of each metric now."""
        data = self._reader.get_metrics_data()
        return {
            metric.name: list(metric.data.data_points)
            for of_resource in ([] if data is None else data.resource_metrics)
            for of_scope in of_resource.scope_metrics
            for metric in of_scope.metrics
        }


def facts(span: ReadableSpan) -> Mapping[str, Any]:
    """Return the attributes of a span."""
    return dict(span.attributes or {})


def is_child(span: ReadableSpan, parent: ReadableSpan) -> bool:
    """Return whether a span has another one as its parent."""
    return (
        span.parent is not None
        and parent.context is not None
        and span.parent.span_id == parent.context.span_id
        and span.parent.trace_id == parent.context.trace_id
    )
