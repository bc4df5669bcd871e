"""What a held call may wait for: `hold(until=at.abort_marker("orders", 0))`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from mockbroker.faults.conditions import (
    Condition,
    EpochBump,
    Event,
    Marker,
    RuleHits,
    StateReached,
)

if TYPE_CHECKING:
    from mockbroker.faults.fault import Fault
    from mockbroker.state.cluster_state import ClusterState


def abort_marker(topic: str, partition: int, *, producer_id: int | None = None) -> Event:
    """Wait for an ABORT marker in a partition, of any producer or of one."""
    return Marker(topic, partition, is_commit=False, producer_id=producer_id)


def commit_marker(topic: str, partition: int, *, producer_id: int | None = None) -> Event:
    """Wait for a COMMIT marker in a partition, of any producer or of one."""
    return Marker(topic, partition, is_commit=True, producer_id=producer_id)


def marker(topic: str, partition: int, *, producer_id: int | None = None) -> Event:
    """Wait for a marker of either kind in a partition, of any producer or of one."""
    return Marker(topic, partition, is_commit=None, producer_id=producer_id)


def rule(fault: "Fault", hits: int = 1) -> Event:
    """Wait until another fault has struck so often."""
    return RuleHits(fault.rule, hits)


def epoch_bump(transactional_id: str) -> Event:
    """Wait until a transactional id has another epoch, or another producer id, than now."""
    return EpochBump(transactional_id)


def transaction_state(transactional_id: str, state: str) -> Event:
    """Wait until a transactional id is in a state, by Kafka's name: `PrepareAbort`."""
    return StateReached(transactional_id, state)


def condition(holds: "Callable[[ClusterState], bool]") -> Event:
    """Wait until a predicate on the cluster's state holds; it runs on the cluster's thread."""
    return Condition(holds)
