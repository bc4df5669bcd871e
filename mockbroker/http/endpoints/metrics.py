"""Prometheus metrics, with the names of Kafka's JMX exporter where they exist.

All values are read from the cluster at each scrape, so that they cost nothing without scrapes.
Requests and bytes are counted from the first scrape on.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.events.event_bus import subscribe
from mockbroker.events.event_types import AnswerGiven, BatchProduced, Event
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import first_error
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.records.batch import LOG_OVERHEAD_BYTES
from mockbroker.protocol.records.header_fields import BATCH_LENGTH
from mockbroker.protocol.schema.message import Message
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.events import BatchAppended
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.open_transactions import hanging_transactions

MEDIA_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
_MILLISECONDS: Final = 1000
_LOGS: Final[Mapping[str, tuple[str, Callable[[PartitionLog], int]]]] = {
    "kafka_log_log_logstartoffset": ("The first offset", lambda log: log.log_start_offset),
    "kafka_log_log_logendoffset": ("The next offset", lambda log: log.log_end_offset),
    "kafka_log_log_size": ("Bytes of all batches", lambda log: log.size_bytes),
    "mockbroker_last_stable_offset_lag": (
        "Records behind the last stable offset",
        lambda log: log.high_watermark - log.last_stable_offset,
    ),
}


class Metrics(Collector):
    """Metrics of one cluster, in their own registry."""

    def __init__(self, cluster: ClusterHandle, listen: Callable[..., object]) -> None:
        """Set the cluster; `listen` subscribes to its events."""
        self._cluster: Final = cluster
        self._requests: Final[Counter[tuple[str, int, str]]] = Counter()
        self._bytes_in: Final[Counter[str]] = Counter()
        self._bytes_out: Final[Counter[str]] = Counter()
        self._handlers: Final[Mapping[type[Any], Callable[[Any], None]]] = {
            AnswerGiven: self._answered,
            BatchAppended: self._appended,
            BatchProduced: self._batch_produced,
        }
        self._registry: Final = CollectorRegistry()
        self._registry.register(self)
        listen(self._on_event)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)

    def describe(self) -> Iterable[Metric]:
        """Return nothing, because the metrics depend on the existing topics."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Read all metrics from the cluster."""
        yield self._counted_requests()
        yield _by_topic("bytesin", "Bytes of batches appended, markers left out", self._bytes_in)
        yield _by_topic("bytesout", "Bytes of records fetched", self._bytes_out)
        yield from self._cluster.look(lambda state, now_ms: list(_read(state, now_ms)))
        hits = CounterMetricFamily(
            "mockbroker_rules_hits", "Calls struck by a rule", labels=["rule"]
        )
        for fault in self._cluster.faults:
            hits.add_metric([fault.name], fault.hits)
        yield hits

    def _counted_requests(self) -> Metric:
        family = CounterMetricFamily(
            "kafka_network_requestmetrics_requests",
            "Requests answered since the first scrape",
            labels=["request", "version", "error"],
        )
        for (request, version, error), count in sorted(self._requests.items()):
            family.add_metric([request, str(version), error], count)
        return family

    def _on_event(self, event: Event) -> None:
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)

    def _answered(self, event: AnswerGiven) -> None:
        call, response = event.call, event.response
        error = first_error(response).name if isinstance(response, Message) else "NONE"
        self._requests[call.api.title, call.version, error] += 1
        if isinstance(response, FetchResponse):
            known = (topic for topic in response.responses if topic.topic)
            for topic in known:
                sizes = (len(each.records or b"") for each in topic.partitions)
                self._bytes_out[topic.topic] += sum(
                    sizes
                )  # the name, also in versions with topic ids

    def _appended(self, event: BatchAppended) -> None:
        if not event.is_duplicate:
            self._bytes_in[event.log.topic] += event.header.batch_length + LOG_OVERHEAD_BYTES

    def _batch_produced(self, event: BatchProduced) -> None:
        self._requests[ApiKey.PRODUCE.title, event.sender.version, "NONE"] += 1
        self._bytes_in[event.log.topic] += event.fields[BATCH_LENGTH] + LOG_OVERHEAD_BYTES


def _by_topic(name: str, about: str, counts: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(
        f"kafka_server_brokertopicmetrics_{name}",
        f"{about}, since the first scrape",
        labels=["topic"],
    )
    for topic, count in sorted(counts.items()):
        family.add_metric([topic], count)
    return family


def _read(state: ClusterState, now_ms: int) -> Iterator[Metric]:
    partitions = [partition for topic in state.topics for partition in topic.partitions]
    logs = {partition.topic_partition: log for partition, log in state.logs.items()}
    for name, (about, value_of) in _LOGS.items():
        family = GaugeMetricFamily(name, about, labels=["topic", "partition"])
        for (topic, index), log in sorted(logs.items()):
            family.add_metric([topic, str(index)], value_of(log))
        yield family
    appended: Counter[str] = Counter()
    for (topic, _), log in logs.items():
        appended[topic] += log.log_end_offset
    messages = CounterMetricFamily(
        "kafka_server_brokertopicmetrics_messagesin",
        "Records appended, markers included",
        labels=["topic"],
    )
    for topic, count in sorted(appended.items()):
        messages.add_metric([topic], count)
    yield messages
    for name, about, value in (
        ("kafka_server_replicamanager_partitioncount", "Partitions", len(partitions)),
        (
            "kafka_server_replicamanager_produceridcount",
            "Producers that partitions know (KIP-847)",
            sum(len(log.producers) for log in logs.values()),
        ),
        (
            "mockbroker_hanging_transactions",
            "Open transactions that no coordinator will ever end",
            len(hanging_transactions(state)),
        ),
        (
            "mockbroker_virtual_time_seconds",
            "The clock of the cluster's state",
            now_ms / _MILLISECONDS,
        ),
    ):
        yield GaugeMetricFamily(name, about, value=value)


def metrics_of(cluster: RunningCluster) -> Metrics:
    """Return the metrics of a cluster, which count from now on."""
    return Metrics(ClusterHandle(cluster), partial(subscribe, cluster.service))
