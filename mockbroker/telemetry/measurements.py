"""Measurements of a cluster: the one list from which `/metrics` and OpenTelemetry are made.

The names are those of OpenTelemetry, with dots; Prometheus has them with `_` instead, and with the
suffixes of its own rules. So one dashboard shows both. Where Kafka's JMX exporter or the
collector's receiver for Kafka has a name, it is that.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from mockbroker.broker.service import Service
from mockbroker.control.cluster_control import ClusterControl
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.faults.fault_state import FaultState
from mockbroker.journal.request_counts import RequestCounts
from mockbroker.server.wall_clock import WallClock
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group_lag import committed_offsets, groups_of, lag_of
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.open_transactions import hanging_transactions
from mockbroker.state.transaction.transaction_state import TransactionState

SECONDS: Final = "s"
_MILLISECONDS: Final = 1000
_LOGGED_STATES: Final = tuple(
    state
    for state in TransactionState
    if state not in {TransactionState.DEAD, TransactionState.PREPARE_EPOCH_FENCE}
)

Point: TypeAlias = tuple[tuple[str, ...], float]
"""Values of the labels, in their order, and the measured value."""


class Instrument(NamedTuple):
    """A measured quantity, without its values."""

    name: str
    """Name in OpenTelemetry."""
    about: str
    labels: tuple[str, ...] = ()
    is_counter: bool = False
    unit: str = ""

    @property
    def prometheus_name(self) -> str:
        """Name in Prometheus' format, without the `_total` of counters."""
        suffix = "_seconds" if self.unit == SECONDS else ""
        return self.name.replace(".", "_") + suffix


class Measurement(NamedTuple):
    """An instrument, and its values now."""

    instrument: Instrument
    points: tuple[Point, ...]


_REQUESTS: Final = Instrument(
    "kafka.network.requestmetrics.requests",
    "Requests of clients answered since counting began",
    ("request", "version", "error"),
    is_counter=True,
)
_UNANSWERED: Final = Instrument(
    "mockbroker.requests_unanswered",
    "Requests of clients that got no response, since counting began",
    ("request", "version", "how"),
    is_counter=True,
)
_OPENED: Final = Instrument(
    "mockbroker.connections_opened",
    "Connections opened since counting began",
    ("broker",),
    is_counter=True,
)
_BY_TOPIC: Final[tuple[tuple[Instrument, Callable[[RequestCounts], Counter[str]]], ...]] = tuple(
    (Instrument(name, f"{about}, since counting began", ("topic",), is_counter=True), counts_of)
    for name, about, counts_of in (
        (
            "kafka.server.brokertopicmetrics.bytesin",
            "Bytes of batches appended, markers left out",
            lambda counts: counts.bytes_in,
        ),
        (
            "kafka.server.brokertopicmetrics.bytesout",
            "Bytes of records fetched",
            lambda counts: counts.bytes_out,
        ),
        (
            "mockbroker.records_fetched",
            "Records fetched, markers included",
            lambda counts: counts.records_out,
        ),
    )
)
_OF_LOGS: Final[tuple[tuple[Instrument, Callable[[PartitionLog], int]], ...]] = tuple(
    (Instrument(name, about, ("topic", "partition")), value_of)
    for name, about, value_of in (
        (
            "kafka.log.log.logstartoffset",
            "The first offset",
            lambda log: log.log_start_offset,
        ),
        ("kafka.log.log.logendoffset", "The next offset", lambda log: log.log_end_offset),
        ("kafka.log.log.size", "Bytes of all batches", lambda log: log.size_bytes),
        (
            "mockbroker.last_stable_offset_lag",
            "Records behind the last stable offset",
            lambda log: log.high_watermark - log.last_stable_offset,
        ),
    )
)
_APPENDED: Final = Instrument(
    "kafka.server.brokertopicmetrics.messagesin",
    "Records appended, markers included",
    ("topic",),
    is_counter=True,
)
_PARTITIONS: Final = Instrument("kafka.server.replicamanager.partitioncount", "Partitions")
_PRODUCERS: Final = Instrument(
    "kafka.server.replicamanager.produceridcount", "Producers that partitions know (KIP-847)"
)
_TRANSACTIONS: Final = Instrument(
    "mockbroker.transactional_ids",
    "Transactional ids by the state at their coordinator",
    ("state",),
)
_HANGING: Final = Instrument(
    "mockbroker.hanging_transactions", "Open transactions that no coordinator will ever end"
)
_LAG: Final = Instrument(
    "kafka.consumer_group.lag",
    "Records after the committed offset of a group",
    ("group", "topic", "partition"),
)
_CONNECTIONS: Final = Instrument(
    "kafka.server.socket_server_metrics.connection_count",
    "Open connections of clients",
    ("broker", "listener"),
)
_TIME: Final = Instrument(
    "mockbroker.virtual_time", "The clock of the cluster's state", unit=SECONDS
)
_AHEAD: Final = Instrument(
    "mockbroker.clock_ahead",
    "Time that the clock of the cluster's state is ahead of real time",
    unit=SECONDS,
)
_OF_FAULTS: Final[tuple[tuple[Instrument, Callable[[FaultState], int]], ...]] = tuple(
    (Instrument(name, about, ("rule",), is_counter), value_of)
    for name, about, is_counter, value_of in (
        (
            "mockbroker.rules_hits",
            "Calls on which a fault has fired",
            True,
            lambda fault: fault.hits,
        ),
        (
            "mockbroker.rules_held",
            "Calls that a fault holds now",
            False,
            lambda fault: len(fault.held),
        ),
        (
            "mockbroker.rules_released",
            "Calls that a fault has held and released",
            True,
            lambda fault: fault.released,
        ),
    )
)

INSTRUMENTS: Final = (
    _REQUESTS,
    _UNANSWERED,
    _OPENED,
    *(each for each, _ in _BY_TOPIC),
    *(each for each, _ in _OF_LOGS),
    _APPENDED,
    _PARTITIONS,
    _PRODUCERS,
    _TRANSACTIONS,
    _HANGING,
    _LAG,
    _CONNECTIONS,
    _TIME,
    _AHEAD,
    *(each for each, _ in _OF_FAULTS),
)
"""All instruments, in the order of the measurements."""


def measured(cluster: RunningCluster, *, timeout_s: float | None = None) -> list[Measurement]:
    """Measure a cluster; any thread may ask, and requests are counted from the first time on.

    Raises:
        RuntimeError: the cluster is not running any more.
        TimeoutError: its loop was busy for `timeout_s`.

    """
    control = cluster.control

    def measure(service: Service, clock: WallClock) -> list[Measurement]:
        now_ms = service.read_clock()
        return [
            *_of_requests(cluster.counts),
            *_of_state(service.cluster),
            _of_connections(service),
            _single(_TIME, now_ms / _MILLISECONDS),
            _single(_AHEAD, clock.ahead_ms / _MILLISECONDS),
            *_of_faults(control),
        ]

    return control.time(measure, timeout_s=timeout_s)


def _of_requests(counts: RequestCounts) -> Iterator[Measurement]:
    answered, unanswered = sorted(counts.answered.items()), sorted(counts.unanswered.items())
    yield _measurement(
        _REQUESTS, (((a.api, str(a.version), a.error), count) for a, count in answered)
    )
    yield _measurement(
        _UNANSWERED, (((u.api, str(u.version), u.how), count) for u, count in unanswered)
    )
    opened = sorted(counts.connections.items())
    yield _measurement(_OPENED, (((str(broker),), count) for broker, count in opened))
    for instrument, counts_of in _BY_TOPIC:
        yield _by_name(instrument, counts_of(counts))


def _of_state(state: ClusterState) -> Iterator[Measurement]:
    logs = sorted((partition.topic_partition, log) for partition, log in state.logs.items())
    for instrument, value_of in _OF_LOGS:
        yield _measurement(
            instrument, (((topic, str(index)), value_of(log)) for (topic, index), log in logs)
        )
    appended: Counter[str] = Counter()
    for (topic, _), log in logs:
        appended[topic] += log.log_end_offset
    yield _by_name(_APPENDED, appended)
    yield _single(_PARTITIONS, sum(len(topic.partitions) for topic in state.topics))
    yield _single(_PRODUCERS, sum(len(log.producers) for _, log in logs))
    states = Counter(
        transaction.metadata.state
        for broker_id in state.brokers
        for transaction in state.transaction_coordinator(broker_id).states
    )
    yield _measurement(
        _TRANSACTIONS, (((each.state_name,), states[each]) for each in _LOGGED_STATES)
    )
    yield _single(_HANGING, len(hanging_transactions(state)))
    yield _measurement(_LAG, _lags(state))


def _lags(state: ClusterState) -> Iterator[Point]:
    for broker_id, group in groups_of(state):
        lags = lag_of(state, committed_offsets(state, broker_id, group))
        for (topic, index), lag in lags.items():
            yield (group.group_id, topic, str(index)), lag


def _of_connections(service: Service) -> Measurement:
    paths = [connection.request_path for connection in service.connections]
    counts = Counter((str(each.broker_id), each.listener) for each in paths)
    return _measurement(_CONNECTIONS, sorted(counts.items()))


def _of_faults(control: ClusterControl) -> Iterator[Measurement]:
    faults = control.fault_plan.faults if control.has_fault_plan else []
    for instrument, value_of in _OF_FAULTS:
        yield _measurement(instrument, (((each.name,), value_of(each)) for each in faults))


def _by_name(instrument: Instrument, counts: Mapping[str, int]) -> Measurement:
    return _measurement(instrument, (((name,), count) for name, count in sorted(counts.items())))


def _single(instrument: Instrument, value: float) -> Measurement:
    return Measurement(instrument, (((), value),))


def _measurement(instrument: Instrument, points: Iterable[Point]) -> Measurement:
    return Measurement(instrument, tuple(points))
