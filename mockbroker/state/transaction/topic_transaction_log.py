"""The transaction log as it lies in the partitions of `__transaction_state`."""

from collections.abc import Iterator
from typing import Final, Protocol

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Buffer, TopicPartition
from mockbroker.state.log.log_deletion import delete_superseded
from mockbroker.state.log.log_records import LogRecords
from mockbroker.state.log.memory_budget import MemoryBudget
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.log.transaction_log_value import TransactionLogValue
from mockbroker.state.options import Options
from mockbroker.state.topic.in_sync_replicas import has_enough_replicas
from mockbroker.state.topic.topic import TRANSACTION_STATE, Partition

NO_PARTITION: Final = -1
ALL_BYTES: Final = 1 << 62


class LogHost(Protocol):
    """What the transaction log needs of the cluster around it: a port that `ClusterState` fits."""

    @property
    def options(self) -> Options:
        """How this generation of Kafka behaves."""
        ...

    @property
    def records(self) -> LogRecords:
        """The codec of the brokers' own records."""
        ...

    @property
    def budget(self) -> MemoryBudget:
        """The memory that all logs share."""
        ...

    def partition(self, topic: str, index: int) -> Partition | None:
        """Return a partition, or None where there is no such topic or partition."""
        ...

    def log_of(self, partition: Partition, now_ms: int) -> PartitionLog:
        """Return the log of a partition."""
        ...

    def appended(self, partition: Partition, /) -> None:
        """Take note that a partition has more records than before."""
        ...


class TopicTransactionLog:
    """One broker's way to the transaction log (the port `TransactionLog`).

    It writes as the leader of a partition, with acks=-1. Where memory is short it lets go of the
    records at the start of a partition that later ones have replaced.
    """

    __slots__ = ("_broker_id", "_host", "_last_offsets")

    def __init__(self, broker_id: int, host: LogHost) -> None:
        """Write in the name of a broker, and take part in the cluster's budget of memory."""
        self._broker_id = broker_id
        self._host = host
        self._last_offsets: dict[int, dict[str, int]] = {}
        """By partition, where the record lies that counts for a transactional id."""
        host.budget.register(self)

    @property
    def topic_partition(self) -> TopicPartition:
        """The whole topic, before all of its partitions: for the rounds of the budget."""
        return TopicPartition(TRANSACTION_STATE, NO_PARTITION)

    def append(
        self,
        partition_index: int,
        transactional_id: str,
        value: TransactionLogValue | None,
        *,
        coordinator_epoch: int,
        now_ms: int,
    ) -> None:
        """Append one record; without a value, a tombstone.

        Raises:
            ApiError: UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS, and
                as `PartitionLog.append`.

        """
        host = self._host
        partition = self._led(partition_index, coordinator_epoch)
        log = host.log_of(partition, now_ms)
        header, data = host.records.build_transaction_record(
            transactional_id,
            value,
            value_version=host.options.transaction_log_value_version,
            base_offset=log.log_end_offset,
            leader_epoch=partition.leader_epoch,
            timestamp_ms=now_ms,
        )
        leader_epoch = partition.leader_epoch
        if not log.append_plain(data, now_ms, 1, leader_epoch=leader_epoch, now_ms=now_ms):
            log.append(header, data, leader_epoch=leader_epoch, now_ms=now_ms)
        self._note(partition_index, transactional_id, value, log.log_end_offset - 1)
        host.appended(partition)

    def _note(
        self, partition_index: int, transactional_id: str, value: object | None, offset: int
    ) -> None:
        last_offsets = self._last_offsets.setdefault(partition_index, {})
        if value is None:
            last_offsets.pop(transactional_id, None)
        else:
            last_offsets[transactional_id] = offset

    def reclaim(self, *, now_ms: int) -> None:
        """Let go of what no transactional id needs any more, up to the first that one does."""
        for index, last_offsets in self._last_offsets.items():
            partition = self._host.partition(TRANSACTION_STATE, index)
            if partition is None or partition.log is None or not self._leads(partition):
                continue
            log = partition.log
            delete_superseded(log, min(last_offsets.values(), default=log.log_end_offset), now_ms)

    def _leads(self, partition: Partition) -> bool:
        return partition.leader_id == self._broker_id

    def read(self, partition_index: int) -> Iterator[tuple[str, TransactionLogValue | None]]:
        """Yield all records of a partition, in the log's order."""
        partition = self._host.partition(TRANSACTION_STATE, partition_index)
        log = None if partition is None else partition.log
        if log is None:
            return
        self._last_offsets.pop(partition_index, None)
        records = self._host.records
        for data in _batches_of(log):
            offset = records.read_header(data).base_offset
            for transactional_id, value in records.read_transaction_records(data):
                self._note(partition_index, transactional_id, value, offset)
                yield transactional_id, value

    def _led(self, partition_index: int, coordinator_epoch: int) -> Partition:
        partition = self._host.partition(TRANSACTION_STATE, partition_index)
        name = f"{TRANSACTION_STATE}-{partition_index}"
        if partition is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no {name}")
        if (partition.leader_id, partition.leader_epoch) != (self._broker_id, coordinator_epoch):
            raise ApiError(
                ErrorCode.NOT_LEADER_OR_FOLLOWER,
                f"broker {self._broker_id} led {name} in epoch {coordinator_epoch}, now broker "
                f"{partition.leader_id} does in epoch {partition.leader_epoch}",
            )
        if not has_enough_replicas(self._host.options, partition):
            raise ApiError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"{len(partition.in_sync_replicas)} replicas of {name} are in sync, "
                f"min.insync.replicas={partition.config.min_insync_replicas}",
            )
        return partition


def _batches_of(log: PartitionLog) -> Iterator[Buffer]:
    """Yield all batches of a log: a read ends with a segment, and goes on behind it."""
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        found = log.read(offset, max_bytes=ALL_BYTES, up_to_offset=log.log_end_offset)
        yield from found.buffers
        assert found.next_offset > offset, (found, offset)
        offset = found.next_offset
