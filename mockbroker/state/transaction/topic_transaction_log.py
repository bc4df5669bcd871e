"""The transaction log in the partitions of `__transaction_state`."""

from collections.abc import Iterator
from typing import Final

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.coordinator.coordinator_log import CoordinatorLog, LogHost
from mockbroker.state.log.log_deletion import delete_superseded
from mockbroker.state.topic.topic import TRANSACTION_STATE
from mockbroker.state.transaction.coordinator_host import CoordinatorHost
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator
from mockbroker.state.transaction.transaction_log import TransactionLogValue

NO_PARTITION: Final = -1


class TopicTransactionLog:
    """One broker's access to the transaction log; implements the port `TransactionLog`.

    It writes as the leader of a partition, with acks=-1. If memory is short, it drops records at
    the start of a partition that later records have replaced.
    """

    __slots__ = ("_host", "_last_offsets", "_partitions")

    def __init__(self, broker_id: int, host: LogHost) -> None:
        """Write as broker `broker_id`, and register with the cluster's memory budget."""
        self._host = host
        self._partitions = CoordinatorLog(TRANSACTION_STATE, broker_id, host)
        self._last_offsets: dict[int, dict[str, int]] = {}
        """The offset of the latest record of each transactional id, by partition."""
        host.budget.register(self)

    @property
    def topic_partition(self) -> TopicPartition:
        """The whole topic, ordered before its partitions in the budget's reclaim rounds."""
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
        """Append one record; a `value` of None is a tombstone.

        Raises:
            ApiError: UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS, and
                as `PartitionLog.append`.

        """
        host = self._host
        partition = self._partitions.writable(partition_index, coordinator_epoch)
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
        if not log.append_next(data, now_ms, 1, leader_epoch=leader_epoch, now_ms=now_ms):
            log.append(header, data, leader_epoch=leader_epoch, now_ms=now_ms, is_from_client=False)
        offset = log.log_end_offset - 1
        self._note(partition_index, transactional_id, value, offset)
        if host.observation.reporter is not None:
            host.observation.reporter.batch_appended(partition, header, offset, offset)
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
        """Drop records up to the first one that is still some transactional id's latest."""
        for index, last_offsets in self._last_offsets.items():
            log = self._partitions.led_log(index)
            if log is None:
                continue
            delete_superseded(log, min(last_offsets.values(), default=log.log_end_offset), now_ms)

    def read(self, partition_index: int) -> Iterator[tuple[str, TransactionLogValue | None]]:
        """Yield all records of a partition, in the log's order."""
        self._last_offsets.pop(partition_index, None)
        records = self._host.records
        for data in self._partitions.batches(partition_index):
            offset = records.read_header(data).base_offset
            for transactional_id, value in records.read_transaction_records(data):
                self._note(partition_index, transactional_id, value, offset)
                yield transactional_id, value


def logging_coordinator(
    broker_id: int, host: CoordinatorHost, log_host: LogHost
) -> TransactionCoordinator:
    """Return the coordinator of a broker, with its transaction log in `__transaction_state`."""
    return TransactionCoordinator(broker_id, host, TopicTransactionLog(broker_id, log_host))
