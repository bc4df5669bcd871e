"""What the forms of a cluster show."""

from collections import Counter
from typing import Final

from mockbroker.control.cluster_control import ClusterControl
from mockbroker.control.handles.shown import Facts, ShownState, facts_of, stated
from mockbroker.control.running_cluster import ClusterAccess
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.replication.broker_control import state_of

_TOPICS_MAX: Final = 5


def shown_cluster(kind: str, access: ClusterAccess) -> ShownState:
    """Return what the forms of a cluster show; one that does not run shows that."""
    if access.cluster is None:
        return ShownState(kind, "", stated("not started"))
    if not access.is_running:
        return ShownState(kind, "", stated("stopped"))
    control = access.cluster.control
    return ShownState(
        kind, "", facts_of(control, lambda cluster, now_ms: _facts(control, cluster, now_ms))
    )


def _facts(control: ClusterControl, cluster: ClusterState, _now_ms: int) -> Facts:
    states = Counter(state_of(cluster, each).value for each in cluster.brokers)
    topics = [each for each in cluster.topics if not each.is_internal]
    named = [f"{each.name} ({len(each.partitions)})" for each in topics[:_TOPICS_MAX]]
    left_out = len(topics) - len(named)
    faults = len(control.fault_plan.all_faults(control)) if control.has_fault_plan else 0
    clock = control.time(lambda _service, each: f"{each.mode}, {each.ahead_ms} ms ahead")
    return {
        "kafka": cluster.options.release,
        "brokers": ", ".join(f"{count} {state}" for state, count in states.items()),
        "bootstrap_servers": ",".join(f"{b.host}:{b.port}" for b in cluster.brokers.values()),
        "topics": (", ".join(named) or "none") + (f", {left_out} more" if left_out else ""),
        "faults": faults,
        "clock": clock,
    }
