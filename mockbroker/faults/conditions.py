"""What a held call waits for: something that happens in the state, not a moment that is guessed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from mockbroker.faults.verb import Verb
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import NO_LEADER, TRANSACTION_STATE
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata

if TYPE_CHECKING:
    from mockbroker.faults.rule import Rule

Check: TypeAlias = Callable[[ClusterState], bool]
"""Tells whether it has happened by now; asked whenever the state may have changed."""


class Event(Protocol):
    """Something that may happen from the moment on in which it is waited for."""

    @property
    def verb(self) -> Verb:
        """The event as it is made."""
        ...

    def expect(self, cluster: ClusterState) -> Check:
        """Begin to wait for it."""
        ...


class Marker:
    """A marker that ends a transaction in a partition."""

    def __init__(
        self, topic: str, partition: int, *, is_commit: bool | None, producer_id: int | None = None
    ) -> None:
        """Wait for a COMMIT, an ABORT or either, of any producer or of one."""
        self._topic = topic
        self._partition = partition
        self._is_commit = is_commit
        self._producer_id = producer_id

    def expect(self, cluster: ClusterState) -> Check:
        """Wait for a marker behind the log's end as it is now."""
        log = self._log(cluster)
        looked_until = [0 if log is None else log.log_end_offset]

        def has_come(cluster: ClusterState) -> bool:
            log = self._log(cluster)
            if log is None or log.log_end_offset <= looked_until[0]:
                return False
            begin, looked_until[0] = looked_until[0], log.log_end_offset
            return self._is_in(cluster, log, begin)

        return has_come

    def _log(self, cluster: ClusterState) -> PartitionLog | None:
        partition = cluster.partition(self._topic, self._partition)
        return None if partition is None else partition.log

    def _is_in(self, cluster: ClusterState, log: PartitionLog, begin: int) -> bool:
        return any(
            cluster.records.read_header(data).is_control and self._is_meant(cluster, data)
            for data in batches_of(log, begin)
        )

    def _is_meant(self, cluster: ClusterState, data: bytes | bytearray | memoryview) -> bool:
        marker = cluster.records.read_end_txn_marker(data)
        return (
            marker is not None
            and self._is_commit in {None, marker.is_commit}
            and self._producer_id in {None, marker.producer_id}
        )

    @property
    def verb(self) -> Verb:
        """The event as it is made."""
        kind = {None: "marker", True: "commit_marker", False: "abort_marker"}[self._is_commit]
        by = {} if self._producer_id is None else {"producer_id": self._producer_id}
        return Verb(kind, {"topic": self._topic, "partition": self._partition, **by})

    def __str__(self) -> str:
        """Write the event as it is made."""
        return f"at.{self.verb.name}({self._topic!r}, {self._partition})"


class RuleHits:
    """Another rule's hits."""

    def __init__(self, rule: "Rule", hits: int = 1) -> None:
        """Wait until a rule has struck so often, counted from its beginning."""
        self._rule = rule
        self._hits = hits

    def expect(self, cluster: ClusterState) -> Check:
        """Wait for the rule."""
        return lambda _cluster: self._rule.hits >= self._hits

    @property
    def verb(self) -> Verb:
        """The event as it is made."""
        return Verb("rule", {"rule": self._rule.name, "hits": self._hits})

    def __str__(self) -> str:
        """Write the event as it is made."""
        return f"at.rule({self._rule.name!r}, hits={self._hits})"


class EpochBump:
    """A transactional id gets a new producer epoch, or another producer id."""

    def __init__(self, transactional_id: str) -> None:
        """Wait for the coordinator of a transactional id."""
        self._transactional_id = transactional_id

    def expect(self, cluster: ClusterState) -> Check:
        """Wait for another epoch than the one that it has now."""
        before = self._producer(cluster)

        def has_bumped(cluster: ClusterState) -> bool:
            now = self._producer(cluster)
            return now is not None and now != before

        return has_bumped

    def _producer(self, cluster: ClusterState) -> tuple[int, int] | None:
        metadata = transaction_of(cluster, self._transactional_id)
        return None if metadata is None else (metadata.producer_id, metadata.producer_epoch)

    @property
    def verb(self) -> Verb:
        """The event as it is made."""
        return Verb("epoch_bump", {"transactional_id": self._transactional_id})

    def __str__(self) -> str:
        """Write the event as it is made."""
        return f"at.epoch_bump({self._transactional_id!r})"


class StateReached:
    """A transactional id comes into a state, such as `CompleteAbort`."""

    def __init__(self, transactional_id: str, state: str) -> None:
        """Wait for a state by Kafka's name."""
        self._transactional_id = transactional_id
        self._state = state

    def expect(self, cluster: ClusterState) -> Check:
        """Wait for the state."""

        def is_there(cluster: ClusterState) -> bool:
            metadata = transaction_of(cluster, self._transactional_id)
            return metadata is not None and metadata.state.state_name == self._state

        return is_there

    @property
    def verb(self) -> Verb:
        """The event as it is made."""
        return Verb(
            "transaction_state",
            {"transactional_id": self._transactional_id, "state": self._state},
        )

    def __str__(self) -> str:
        """Write the event as it is made."""
        return f"at.transaction_state({self._transactional_id!r}, {self._state!r})"


class Condition:
    """A predicate of a test's own on the cluster's state."""

    def __init__(self, holds: Check) -> None:
        """Wait until it holds."""
        self._holds = holds

    def expect(self, cluster: ClusterState) -> Check:
        """Wait for it."""
        return self._holds

    @property
    def verb(self) -> Verb:
        """The event as it is made."""
        return Verb("condition")

    def __str__(self) -> str:
        """Write the event as it is made."""
        return "at.condition(…)"


def transaction_of(cluster: ClusterState, transactional_id: str) -> TransactionMetadata | None:
    """Return what the coordinator of a transactional id knows of it, if there is one."""
    index = coordinator_partition(TRANSACTION_STATE, transactional_id, cluster.configs)
    partition = cluster.partition(TRANSACTION_STATE, index)
    if partition is None or partition.leader_id == NO_LEADER:
        return None
    coordinator = cluster.transaction_coordinator(partition.leader_id)
    found = coordinator.states.find(transactional_id)
    return None if found is None else found.metadata
