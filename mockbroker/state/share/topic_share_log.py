"""Log of share partitions in the partitions of `__share_group_state`."""

from collections.abc import Iterator
from typing import Final

from mockbroker.protocol.errors import ApiError
from mockbroker.state.coordinator.coordinator_log import APPEND_REFUSALS, CoordinatorLog, LogHost
from mockbroker.state.coordinator.log_records import BatchStamps
from mockbroker.state.share.share_log_record import ShareLogRecord
from mockbroker.state.topic.topic import SHARE_GROUP_STATE


class TopicShareLog:
    """One broker's access to the log; appends as the partition's leader, with acks=-1."""

    __slots__ = ("_host", "_partitions")

    def __init__(self, broker_id: int, host: LogHost) -> None:
        """Append in the name of a broker."""
        self._host: Final = host
        self._partitions: Final = CoordinatorLog(SHARE_GROUP_STATE, broker_id, host)

    def append(
        self, partition_index: int, record: ShareLogRecord, *, coordinator_epoch: int, now_ms: int
    ) -> None:
        """Append a record.

        Raises:
            ApiError: The code for clients when the append fails (`APPEND_REFUSALS`).

        """
        try:
            self._append(partition_index, record, coordinator_epoch, now_ms)
        except ApiError as refusal:
            code = APPEND_REFUSALS.get(refusal.code, refusal.code)
            raise ApiError(code, refusal.why) from refusal

    def _append(
        self, partition_index: int, record: ShareLogRecord, coordinator_epoch: int, now_ms: int
    ) -> None:
        host = self._host
        partition = self._partitions.writable(partition_index, coordinator_epoch)
        log = host.log_of(partition, now_ms)
        offset, leader_epoch = log.log_end_offset, partition.leader_epoch
        header, data = host.records.build_share_record(
            record, BatchStamps(offset, leader_epoch, now_ms)
        )
        log.append(header, data, leader_epoch=leader_epoch, now_ms=now_ms, is_from_client=False)
        if host.observation.reporter is not None:
            host.observation.reporter.batch_appended(partition, header, offset, offset)
        host.appended(partition)

    def read(self, partition_index: int) -> Iterator[ShareLogRecord]:
        """Yield all records of a partition, in the log's order."""
        for data in self._partitions.batches(partition_index):
            yield from self._host.records.read_share_records(data)
