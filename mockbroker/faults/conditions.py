"""Events that a held call waits for: a state of the cluster, and not a guessed time."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Protocol, TypeAlias

import msgspec

from mockbroker.faults.tagged import Tagged, stored_as
from mockbroker.settings.duration import Duration, duration_text, milliseconds
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import NO_LEADER, TRANSACTION_STATE
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata

Check: TypeAlias = Callable[[ClusterState], bool]
"""Returns whether the event has occurred; called whenever the state may have changed."""


class _Counted(Protocol):
    @property
    def hits(self) -> int: ...
    @property
    def held_ever(self) -> int: ...
    @property
    def released(self) -> int: ...


Faults: TypeAlias = Mapping[str, _Counted]
"""All faults of a cluster by name, including removed ones."""


class Event(Tagged, frozen=True):
    """The event that ends a hold, after the start of the hold: exactly one of these."""

    KINDS: ClassVar[dict[str, type[Tagged]]] = {}

    def expect(self, cluster: ClusterState, faults: Faults) -> Check:
        """Start to wait for the event."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Write the event as Python makes it."""
        return f"at.{super().__repr__()}"


class Marker(Event, frozen=True):
    """A marker that ends a transaction in a partition, of any producer or of one."""

    marker: Literal["abort", "commit", "any"]
    topic: str
    partition: int
    producer_id: int | None = None

    def expect(self, cluster: ClusterState, faults: Faults) -> Check:
        """Wait for a marker after the present end of the log."""
        log = self._log(cluster)
        checked_until = 0 if log is None else log.log_end_offset

        def is_there(cluster: ClusterState) -> bool:
            nonlocal checked_until
            log = self._log(cluster)
            if log is None or log.log_end_offset <= checked_until:
                return False
            begin, checked_until = checked_until, log.log_end_offset
            return any(self._is_meant(cluster, data) for data in batches_of(log, begin))

        return is_there

    def _log(self, cluster: ClusterState) -> PartitionLog | None:
        partition = cluster.partition(self.topic, self.partition)
        return None if partition is None else partition.log

    def _is_meant(self, cluster: ClusterState, data: bytes | bytearray | memoryview) -> bool:
        if not cluster.records.read_header(data).is_control:
            return False
        marker = cluster.records.read_end_txn_marker(data)
        return (
            marker is not None
            and self.marker in {"any", "commit" if marker.is_commit else "abort"}
            and self.producer_id in {None, marker.producer_id}
        )

    def __repr__(self) -> str:
        """Write the event as Python makes it."""
        kind = "marker" if self.marker == "any" else f"{self.marker}_marker"
        by = "" if self.producer_id is None else f", producer_id={self.producer_id}"
        return f"at.{kind}({self.topic!r}, {self.partition}{by})"


class FaultHits(Event, frozen=True):
    """A number of hits of another fault, or of calls that it held or released, from its start."""

    NAME: ClassVar[str] = "fault"

    name: str = msgspec.field(name="fault")
    hits: int = 1
    held: int = 0
    released: int = 0

    def expect(self, cluster: ClusterState, faults: Faults) -> Check:
        """Wait for the fault."""

        def has_come(_cluster: ClusterState) -> bool:
            fault = faults.get(self.name)
            return (
                fault is not None
                and fault.hits >= self.hits
                and fault.held_ever >= self.held
                and fault.released >= self.released
            )

        return has_come


class Records(Event, frozen=True):
    """A number of records in a topic, or in one partition of it, from the start of its log."""

    count: int = msgspec.field(name="records")
    topic: str
    partition: int | None = None

    def expect(self, cluster: ClusterState, faults: Faults) -> Check:
        """Wait for the records."""
        counted: dict[int, tuple[int, int]] = {}
        """By partition: the records up to an offset, and that offset."""

        def are_there(cluster: ClusterState) -> bool:
            topic = cluster.topics.get(self.topic)
            for index, partition in enumerate(topic.partitions if topic else ()):
                if partition.log is not None and self.partition in {None, index}:
                    before = counted.get(index, (0, partition.log.log_start_offset))
                    counted[index] = _counted(cluster, partition.log, *before)
            return sum(records for records, _ in counted.values()) >= self.count

        return are_there

    def __repr__(self) -> str:
        """Write the event as Python makes it."""
        where = "" if self.partition is None else f", partition={self.partition}"
        return f"at.records({self.topic!r}, {self.count}{where})"


class LogEndOffset(Event, frozen=True):
    """A log end offset of a partition, which markers of transactions move as well."""

    offset: int = msgspec.field(name="log_end_offset")
    topic: str
    partition: int

    def expect(self, cluster: ClusterState, faults: Faults) -> Check:
        """Wait for the offset."""

        def is_reached(cluster: ClusterState) -> bool:
            partition = cluster.partition(self.topic, self.partition)
            log = None if partition is None else partition.log
            return log is not None and log.log_end_offset >= self.offset

        return is_reached

    def __repr__(self) -> str:
        """Write the event as Python makes it."""
        return f"at.log_end_offset({self.topic!r}, {self.partition}, {self.offset})"


class EpochBump(Event, frozen=True):
    """A new producer epoch, or another producer id, of a transactional id."""

    transactional_id: str = msgspec.field(name="epoch_bump")

    def expect(self, cluster: ClusterState, faults: Faults) -> Check:
        """Wait for another epoch than the present one."""
        before = self._producer(cluster)

        def has_bumped(cluster: ClusterState) -> bool:
            now = self._producer(cluster)
            return now is not None and now != before

        return has_bumped

    def _producer(self, cluster: ClusterState) -> tuple[int, int] | None:
        metadata = transaction_of(cluster, self.transactional_id)
        return None if metadata is None else (metadata.producer_id, metadata.producer_epoch)


class TransactionIsIn(Event, frozen=True):
    """A state of a transactional id, named as in Kafka, such as `CompleteAbort`."""

    NAME: ClassVar[str] = "transaction_state"
    IS_NESTED: ClassVar[bool] = True

    transactional_id: str
    state: str

    def expect(self, cluster: ClusterState, faults: Faults) -> Check:
        """Wait for the state."""

        def is_there(cluster: ClusterState) -> bool:
            metadata = transaction_of(cluster, self.transactional_id)
            return metadata is not None and metadata.state.state_name == self.state

        return is_there


class Condition(Event, frozen=True):
    """A test's own predicate on the cluster's state; JSON has no form for it."""

    NAME: ClassVar[str] = ""

    holds: Check

    def expect(self, cluster: ClusterState, faults: Faults) -> Check:
        """Wait until the predicate is true."""
        return self.holds

    def __repr__(self) -> str:
        """Write the event as Python makes it."""
        return "at.condition(…)"


def _counted(
    cluster: ClusterState, log: PartitionLog, records: int, offset: int
) -> tuple[int, int]:
    """Count on from an offset: return the records, and the end of what was counted."""
    end = log.log_end_offset
    headers = (cluster.records.read_header(data) for data in batches_of(log, offset, end))
    found = sum(each.record_count for each in headers if not each.is_control)
    return records + found, max(offset, end)


def _stored(until: Event | Duration | None) -> Event | str | None:
    """Return the normal form of an event or a time.

    Raises:
        ValueError: it is neither an event nor a time.

    """
    if until is None or isinstance(until, Event):
        return until
    return duration_text(milliseconds(until))


if TYPE_CHECKING:
    Until: TypeAlias = Event | Duration | None
else:  # JSON has no more than texts and numbers
    Until = Annotated[Event | str | int | None, stored_as(_stored, is_duration=True)]
    """An event, a time on the loop's clock, or None: until the call is released."""


def transaction_of(cluster: ClusterState, transactional_id: str) -> TransactionMetadata | None:
    """Return the coordinator's metadata of a transactional id, if there is any."""
    index = coordinator_partition(TRANSACTION_STATE, transactional_id, cluster.configs)
    partition = cluster.partition(TRANSACTION_STATE, index)
    if partition is None or partition.leader_id == NO_LEADER:
        return None
    coordinator = cluster.transaction_coordinator(partition.leader_id)
    found = coordinator.states.find(transactional_id)
    return None if found is None else found.metadata
