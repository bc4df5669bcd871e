"""Events that a held call may wait for: `hold(until=at.abort_marker("orders", 0))`."""

from typing import TYPE_CHECKING

from mockbroker.faults.conditions import (
    Check,
    Condition,
    EpochBump,
    Event,
    FaultHits,
    LogEndOffset,
    Marker,
    Records,
    TransactionIsIn,
)

if TYPE_CHECKING:
    from mockbroker.faults.fault import Fault


def abort_marker(topic: str, partition: int, *, producer_id: int | None = None) -> Event:
    """Wait for an ABORT marker in a partition, of any producer or of one."""
    return Marker("abort", topic, partition, producer_id)


def commit_marker(topic: str, partition: int, *, producer_id: int | None = None) -> Event:
    """Wait for a COMMIT marker in a partition, of any producer or of one."""
    return Marker("commit", topic, partition, producer_id)


def marker(topic: str, partition: int, *, producer_id: int | None = None) -> Event:
    """Wait for a marker of either kind in a partition, of any producer or of one."""
    return Marker("any", topic, partition, producer_id)


def fault(other: "Fault", hits: int = 1, *, held: int = 0, released: int = 0) -> Event:
    """Wait until another fault has fired, or held or released calls, a number of times."""
    return FaultHits(other.name, hits, held, released)


rule = fault
"""The former name of `fault`."""


def epoch_bump(transactional_id: str) -> Event:
    """Wait until a transactional id has another epoch or producer id than now."""
    return EpochBump(transactional_id)


def transaction_state(transactional_id: str, state: str) -> Event:
    """Wait until a transactional id is in a state, named as in Kafka: `PrepareAbort`."""
    return TransactionIsIn(transactional_id, state)


def records(topic: str, count: int, *, partition: int | None = None) -> Event:
    """Wait until a topic, or one partition of it, has so many records, aborted ones included."""
    return Records(count, topic, partition)


def log_end_offset(topic: str, partition: int, offset: int) -> Event:
    """Wait until the log of a partition reaches an offset; markers of transactions count."""
    return LogEndOffset(offset, topic, partition)


def condition(holds: Check) -> Event:
    """Wait until a predicate on the cluster's state holds; it runs on the cluster's thread."""
    return Condition(holds)
