"""The partitions of an internal topic that a broker leads, as coordinators use them."""

from collections.abc import Iterator, Mapping
from typing import Final, Protocol

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Buffer
from mockbroker.state.coordinator.log_records import LogRecords
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.log.memory_budget import MemoryBudget
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.observation import Observation
from mockbroker.state.release.options import Options
from mockbroker.state.replication.high_watermark import has_enough_replicas
from mockbroker.state.topic.topic import Partition

APPEND_REFUSALS: Final[Mapping[ErrorCode, ErrorCode]] = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.REQUEST_TIMED_OUT: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorCode.NOT_COORDINATOR,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorCode.NOT_COORDINATOR,
    ErrorCode.MESSAGE_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
    ErrorCode.RECORD_LIST_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
}
"""The codes for clients if a coordinator's log refuses; every other code is passed on."""


class LogHost(Protocol):
    """The part of a cluster that a coordinator's log uses; implemented by `ClusterState`."""

    @property
    def options(self) -> Options:
        """The behaviour of this Kafka release."""
        ...

    @property
    def records(self) -> LogRecords:
        """The codec of the brokers' own records."""
        ...

    @property
    def budget(self) -> MemoryBudget:
        """The memory budget that all logs share."""
        ...

    @property
    def observation(self) -> Observation:
        """The observer of appends."""
        ...

    def partition(self, topic: str, index: int) -> Partition | None:
        """Return a partition, or None if the topic or partition does not exist."""
        ...

    def log_of(self, partition: Partition, now_ms: int) -> PartitionLog:
        """Return the log of a partition."""
        ...

    def appended(self, partition: Partition, /) -> None:
        """Report that records were appended to a partition."""
        ...


class CoordinatorLog:
    """One broker's access to an internal topic."""

    __slots__ = ("_broker_id", "_host", "topic")

    def __init__(self, topic: str, broker_id: int, host: LogHost) -> None:
        """Give access to the partitions that broker `broker_id` leads."""
        self.topic: Final = topic
        self._broker_id: Final = broker_id
        self._host: Final = host

    def writable(self, partition_index: int, coordinator_epoch: int) -> Partition:
        """Return a partition that the broker leads and may write to with acks=-1.

        Raises:
            ApiError: UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS.

        """
        partition = self._host.partition(self.topic, partition_index)
        if partition is None:
            raise ApiError(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no {self.topic}-{partition_index}"
            )
        # A new epoch of the same leader, as after a replica left the ISR, is no new coordinator.
        if (
            partition.leader_id != self._broker_id
            or not partition.elected_in_epoch <= coordinator_epoch <= partition.leader_epoch
        ):
            raise ApiError(
                ErrorCode.NOT_LEADER_OR_FOLLOWER,
                f"broker {self._broker_id} led {partition.topic_partition} in epoch "
                f"{coordinator_epoch}, now broker {partition.leader_id} does in epoch "
                f"{partition.leader_epoch}",
            )
        if not has_enough_replicas(self._host.options, partition):
            raise ApiError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"{len(partition.in_sync_replicas)} replicas of {partition.topic_partition} are in"
                " sync, "
                f"min.insync.replicas={partition.config.min_insync_replicas}",
            )
        return partition

    def led_log(self, partition_index: int) -> PartitionLog | None:
        """Return the log of a partition that the broker leads, if it is open."""
        partition = self._host.partition(self.topic, partition_index)
        if partition is None or partition.leader_id != self._broker_id:
            return None
        return partition.log

    def batches(self, partition_index: int) -> Iterator[Buffer]:
        """Yield all batches of a partition in order, or none if its log is not open."""
        partition = self._host.partition(self.topic, partition_index)
        log = None if partition is None else partition.log
        if log is not None:
            yield from batches_of(log)
