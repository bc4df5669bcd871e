"""Log of groups in the partitions of `__consumer_offsets`."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.types import NO_PRODUCER_ID
from mockbroker.state.coordinator.coordinator_log import APPEND_REFUSALS, CoordinatorLog, LogHost
from mockbroker.state.coordinator.log_records import (
    NOBODY,
    BatchStamps,
    BatchWriter,
    GroupValueVersions,
)
from mockbroker.state.group.group_log_record import GroupLogRecord, OffsetRecord
from mockbroker.state.log.log_deletion import delete_superseded
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.topic.topic import CONSUMER_OFFSETS

FIRST_SEQUENCE: Final = 0
"""Coordinators number the records of each batch from 0; these sequences are never checked."""


class WrittenRecords(NamedTuple):
    """A batch of records from the log."""

    producer_id: int
    """The producer of the transaction that wrote it, if there is one."""
    base_offset: int
    records: list[GroupLogRecord]


class TopicGroupLog:
    """One broker's access to the log of groups; appends as the partition's leader, with acks=-1."""

    __slots__ = ("_host", "_partitions")

    def __init__(self, broker_id: int, host: LogHost) -> None:
        """Append in the name of a broker."""
        self._host: Final = host
        self._partitions: Final = CoordinatorLog(CONSUMER_OFFSETS, broker_id, host)

    def append(
        self,
        partition_index: int,
        records: Sequence[GroupLogRecord],
        *,
        coordinator_epoch: int,
        now_ms: int,
        writer: BatchWriter = NOBODY,
        verification_guard: VerificationGuard | None = None,
    ) -> int:
        """Append a batch, and return its first offset.

        Raises:
            ApiError: The code for clients when the append fails (`APPEND_REFUSALS`).

        """
        try:
            return self._append(
                partition_index,
                records,
                coordinator_epoch=coordinator_epoch,
                now_ms=now_ms,
                writer=writer,
                verification_guard=verification_guard,
            )
        except ApiError as refusal:
            code = APPEND_REFUSALS.get(refusal.code, refusal.code)
            raise ApiError(code, refusal.why) from refusal

    def _append(
        self,
        partition_index: int,
        records: Sequence[GroupLogRecord],
        *,
        coordinator_epoch: int,
        now_ms: int,
        writer: BatchWriter,
        verification_guard: VerificationGuard | None,
    ) -> int:
        host = self._host
        options = host.options.offsets
        partition = self._partitions.writable(partition_index, coordinator_epoch)
        first = records[0]
        is_commit = isinstance(first, OffsetRecord) and first.value is not None
        if options.batches_are_numbered or is_commit:
            writer = writer._replace(base_sequence=FIRST_SEQUENCE)
        log = host.log_of(partition, now_ms)
        base_offset = log.log_end_offset
        leader_epoch = partition.leader_epoch
        header, data = host.records.build_group_records(
            records,
            versions=GroupValueVersions(options.offset_value_version, options.group_value_version),
            stamps=BatchStamps(base_offset, leader_epoch, now_ms),
            writer=writer,
            timestamp_type=partition.config.message_timestamp_type,
        )
        log.append(
            header,
            data,
            leader_epoch=leader_epoch,
            now_ms=now_ms,
            verification_guard=verification_guard,
            is_from_client=False,
        )
        last_offset = log.log_end_offset - 1
        reporter = host.observation.reporter
        if reporter is not None:
            reporter.batch_appended(partition, header, base_offset, last_offset)
        host.appended(partition)
        return base_offset

    def read(self, partition_index: int) -> Iterator[WrittenRecords | EndTxnMarker]:
        """Yield all batches of records and all markers of a partition, in the log's order."""
        port = self._host.records
        for data in self._partitions.batches(partition_index):
            header = port.read_header(data)
            if header.is_control:
                marker = port.read_end_txn_marker(data)
                if marker is not None:
                    yield marker
            else:
                producer_id = header.producer_id if header.is_transactional else NO_PRODUCER_ID
                records = list(port.read_group_records(data))
                yield WrittenRecords(producer_id, header.base_offset, records)

    def delete_superseded(
        self, partition_index: int, first_needed: int | None, now_ms: int
    ) -> None:
        """Delete the records before the first one that is still needed."""
        log = self._partitions.led_log(partition_index)
        if log is not None:
            before = log.log_end_offset if first_needed is None else first_needed
            delete_superseded(log, min(before, log.last_stable_offset), now_ms)
