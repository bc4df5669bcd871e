"""Options of telemetry: the providers of OpenTelemetry that get the traces and metrics."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry:
    """Providers that get the spans and the metrics of a cluster; None is the global one."""

    tracer_provider: "TracerProvider | None" = None
    meter_provider: "MeterProvider | None" = None


TelemetrySetting: TypeAlias = bool | Telemetry
"""Off, on with the global providers, or on with given ones."""
