"""Metrics in Prometheus' format, with the names of Kafka's JMX exporter where they exist.

All values are read from the cluster at each scrape, so that they cost nothing without scrapes.
Requests and bytes are counted from the first scrape on.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from mockbroker.control.running_cluster import RunningCluster
from mockbroker.telemetry.measurements import Measurement, measured

MEDIA_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4


class Metrics(Collector):
    """Metrics of one cluster, in their own registry."""

    def __init__(self, cluster: RunningCluster) -> None:
        """Set the cluster."""
        self._cluster: Final = cluster
        self._registry: Final = CollectorRegistry()
        self._registry.register(self)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)

    def describe(self) -> Iterable[Metric]:
        """Return nothing, because the metrics depend on the existing topics."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Read all metrics from the cluster."""
        return map(_family, measured(self._cluster))


def _family(measurement: Measurement) -> Metric:
    instrument, points = measurement
    family_type = CounterMetricFamily if instrument.is_counter else GaugeMetricFamily
    family = family_type(instrument.prometheus_name, instrument.about, labels=instrument.labels)
    for labels, value in points:
        family.add_metric(labels, value)
    return family
