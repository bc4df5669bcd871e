"""Documents of a cluster: its brokers, its clock, and its whole state."""

from collections.abc import Sequence

from mockbroker.control.broker_control import BrokerInfo
from mockbroker.control.cluster_clock import ClusterClock, iso_text
from mockbroker.faults.documents.fault_view import FaultView
from mockbroker.faults.documents.strict import View
from mockbroker.http.documents.topic_view import TopicView
from mockbroker.http.documents.transaction_view import HangingView, TransactionView
from mockbroker.state.clock import ClockMode
from mockbroker.state.cluster_state import ClusterState


class ClockView(View):
    """The clock of the state; the network always uses real time."""

    now_ms: int
    """In milliseconds since 1970."""
    now: str | None
    """The same in ISO 8601; `null` after the year 9999."""
    mode: ClockMode
    """`offset`: real time with jumps; `manual`: jumps only; `real`: real time only."""
    ahead_ms: int
    """Milliseconds ahead of real time."""


class BrokerView(View):
    """One broker."""

    id: int
    host: str
    port: int
    rack: str | None
    state: str
    """`running`, `killed`, `stopped` or `isolated`."""
    is_controller: bool
    leads: int
    """Number of partitions that it leads."""


class BrokersView(View):
    """All brokers, ordered by id."""

    brokers: list[BrokerView]


class ClusterView(View):
    """Settings and state of a cluster."""

    cluster_id: str
    kafka: str
    """The release of Kafka that it emulates."""
    bootstrap_servers: str
    controller_id: int
    seed: int
    clock: ClockView


class StateView(View):
    """The whole state of a cluster."""

    cluster: ClusterView
    brokers: list[BrokerView]
    topics: list[TopicView]
    transactions: list[TransactionView]
    hanging: list[HangingView]
    faults: list[FaultView]


def clock_view(clock: ClusterClock) -> ClockView:
    """Show a clock."""
    now_ms = clock.now_ms
    return ClockView(
        now_ms=now_ms, now=moment_text(now_ms), mode=clock.mode, ahead_ms=clock.ahead_ms
    )


def moment_text(now_ms: int) -> str | None:
    """Format a time in ISO 8601; None after the year 9999."""
    try:
        return iso_text(now_ms)
    except (OverflowError, ValueError, OSError):
        return None


def brokers_view(brokers: Sequence[BrokerInfo], cluster: ClusterState) -> BrokersView:
    """Show all brokers, those that are away included."""
    leaders = [partition.leader_id for topic in cluster.topics for partition in topic.partitions]
    return BrokersView(
        brokers=[
            BrokerView(
                id=broker.broker_id,
                host=broker.host,
                port=broker.port,
                rack=broker.rack,
                state=broker.state.value,
                is_controller=broker.is_controller,
                leads=leaders.count(broker.broker_id),
            )
            for broker in brokers
        ]
    )


def cluster_view(cluster: ClusterState, clock: ClockView, bootstrap_servers: str) -> ClusterView:
    """Show a cluster's settings and state."""
    return ClusterView(
        cluster_id=cluster.cluster_id,
        kafka=cluster.options.release,
        bootstrap_servers=bootstrap_servers,
        controller_id=cluster.controller_id,
        seed=cluster.seed,
        clock=clock,
    )
