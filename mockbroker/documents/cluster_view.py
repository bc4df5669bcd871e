"""A cluster as it is shown: its brokers, its clock, and all of it at once."""

from datetime import UTC, datetime

from mockbroker.documents.rule_view import RuleView
from mockbroker.documents.strict import View
from mockbroker.documents.topic_view import TopicView
from mockbroker.documents.transaction_view import HangingView, TransactionView
from mockbroker.state.cluster_state import ClusterState


class ClockView(View):
    """The clock of the state; the wire's is always the real one."""

    now_ms: int
    """In milliseconds since 1970."""
    now: str | None
    """The same in ISO 8601; `null` after the year 9999."""


class BrokerView(View):
    """One broker."""

    id: int
    host: str
    port: int
    rack: str | None
    is_controller: bool
    leads: int
    """How many partitions it leads."""


class BrokersView(View):
    """All brokers, by their ids."""

    brokers: list[BrokerView]


class ClusterView(View):
    """What a cluster is."""

    cluster_id: str
    kafka: str
    """The release that it behaves like."""
    bootstrap_servers: str
    controller_id: int
    seed: int
    clock: ClockView


class StateView(View):
    """All that there is to see at once."""

    cluster: ClusterView
    brokers: list[BrokerView]
    topics: list[TopicView]
    transactions: list[TransactionView]
    hanging: list[HangingView]
    rules: list[RuleView]


def clock_view(now_ms: int) -> ClockView:
    """Show a time."""
    return ClockView(now_ms=now_ms, now=moment_text(now_ms))


def moment_text(now_ms: int) -> str | None:
    """Write a time in ISO 8601; there is no such text after the year 9999."""
    try:
        moment = datetime.fromtimestamp(now_ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds")


def brokers_view(cluster: ClusterState) -> BrokersView:
    """Show all brokers."""
    leaders = [partition.leader_id for topic in cluster.topics for partition in topic.partitions]
    return BrokersView(
        brokers=[
            BrokerView(
                id=broker.node_id,
                host=broker.host,
                port=broker.port,
                rack=broker.rack,
                is_controller=broker.node_id == cluster.controller_id,
                leads=leaders.count(broker.node_id),
            )
            for broker in sorted(cluster.brokers.values())
        ]
    )


def cluster_view(cluster: ClusterState, now_ms: int, bootstrap_servers: str) -> ClusterView:
    """Show what a cluster is."""
    return ClusterView(
        cluster_id=cluster.cluster_id,
        kafka=cluster.options.release,
        bootstrap_servers=bootstrap_servers,
        controller_id=cluster.controller_id,
        seed=cluster.seed,
        clock=clock_view(now_ms),
    )
