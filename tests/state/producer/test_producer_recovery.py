"""Recovery of producers from a snapshot and from the log."""

from collections.abc import Iterator, Sequence

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import BatchHeader, Buffer, TimestampType
from mockbroker.state.coordinator.log_records import (
    NOBODY,
    BatchStamps,
    BatchWriter,
    GroupValueVersions,
)
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.group.group_log_record import GroupLogRecord
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.observation import Observation
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_recovery import (
    forget_producer,
    forget_producers,
    recover_producers,
    take_snapshot,
)
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.producer.transaction_index import AbortedTxn
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from tests.state.log_building import (
    CONTROL,
    TRANSACTIONAL,
    batch_header,
    idempotent,
    partition_log,
    transactional,
)

EXPIRATION_MS = 500


class WrittenRecords:
    """A `LogRecords` that appends batches and reads back only these."""

    def __init__(self, options: ProducerStateOptions | None = None) -> None:
        self.log: PartitionLog = partition_log(
            LogConfig(segment_bytes=4),
            producer_options=(options or ProducerStateOptions())._replace(
                producer_id_expiration_ms=EXPIRATION_MS
            ),
        )
        self.written: dict[bytes, tuple[BatchHeader, EndTxnMarker | None]] = {}

    def append(self, header: BatchHeader, marker: EndTxnMarker | None = None) -> None:
        log = self.log
        header.base_offset = log.log_end_offset
        data = len(self.written).to_bytes(2, "big")
        self.written[data] = header, marker
        if marker is None:
            assert not log.append(header, data, leader_epoch=0, now_ms=0).is_duplicate
        else:
            log.append_end_txn_marker(marker, header, data, leader_epoch=0, now_ms=0)

    def end(self, producer_id: int, producer_epoch: int = 0, *, is_commit: bool = False) -> None:
        header = batch_header(
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            attributes=TRANSACTIONAL | CONTROL,
        )
        self.append(header, EndTxnMarker(producer_id, producer_epoch, 3, is_commit))

    def recovered(self) -> PartitionLog:
        recover_producers(self.log, self, now_ms=1_000)
        return self.log

    def read_header(self, data: Buffer) -> BatchHeader:
        return self.written[bytes(data)][0]

    def read_end_txn_marker(self, data: Buffer) -> EndTxnMarker | None:
        return self.written[bytes(data)][1]

    def build_end_txn_marker(
        self,
        marker: EndTxnMarker,
        *,
        base_offset: int,
        leader_epoch: int,
        timestamp_ms: int,
        timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    ) -> tuple[BatchHeader, bytearray]:
        raise NotImplementedError

    def build_transaction_record(
        self,
        transactional_id: str,
        value: TransactionLogValue | None,
        *,
        value_version: int,
        base_offset: int,
        leader_epoch: int,
        timestamp_ms: int,
    ) -> tuple[BatchHeader, bytearray]:
        raise NotImplementedError

    def read_transaction_records(
        self, data: Buffer
    ) -> Iterator[tuple[str, TransactionLogValue | None]]:
        raise NotImplementedError

    def build_group_records(
        self,
        records: Sequence[GroupLogRecord],
        *,
        versions: GroupValueVersions,
        stamps: BatchStamps,
        writer: BatchWriter = NOBODY,
        timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    ) -> tuple[BatchHeader, bytearray]:
        raise NotImplementedError

    def read_group_records(self, data: Buffer) -> Iterator[GroupLogRecord]:
        raise NotImplementedError

    def read_subscribed_topics(self, data: bytes) -> frozenset[str] | None:
        raise NotImplementedError


def eventful(options: ProducerStateOptions | None = None) -> WrittenRecords:
    """Return a log with three producers: one idempotent, one that aborts, one with all open."""
    written = WrittenRecords(options)
    for base_sequence in (0, 2, 4):
        written.append(idempotent(base_sequence, producer_id=1, records=2))
    written.append(batch_header())
    written.append(transactional(0, producer_id=2))
    written.append(transactional(0, producer_id=3))
    written.append(transactional(1, producer_id=2, records=2))
    written.end(2, 1)
    written.append(transactional(0, producer_id=2, producer_epoch=1))
    written.end(2, 1, is_commit=True)
    return written


def test_a_complete_log_recovers_everything() -> None:
    written = eventful()
    before = written.log.as_text()
    assert written.log.last_stable_offset == 8
    forget_producers(written.log)
    recovered = written.recovered()
    assert recovered.as_text() == before
    assert recovered.last_stable_offset == 8
    assert recovered.aborted_transactions(0, 100) == [AbortedTxn(2, 7, 11, 8)]


def test_recovery_drops_producers_without_records() -> None:
    written = eventful()
    written.log.delete_records(10)  # into the second batch of the transaction of producer 2
    recovered = written.recovered()
    assert [entry.producer_id for entry in recovered.producers] == [2]
    assert recovered.aborted_transactions(10, 100) == [AbortedTxn(2, 9, 11, 12)]
    assert recovered.last_stable_offset == recovered.high_watermark
    with pytest.raises(ApiError) as refused:
        written.append(idempotent(1, producer_id=2))
    assert refused.value.code == ErrorCode.INVALID_PRODUCER_EPOCH
    written.append(idempotent(6, producer_id=1))  # an unknown producer now


def test_older_releases_refuse_a_producer_that_recovery_dropped() -> None:
    written = eventful(ProducerStateOptions(accepts_unknown_producer=False))
    written.log.delete_records(7)
    written.recovered()
    with pytest.raises(ApiError) as refused:
        written.append(idempotent(6, producer_id=1))
    assert refused.value.code == ErrorCode.UNKNOWN_PRODUCER_ID


def test_an_empty_log_recovers_nothing() -> None:
    written = eventful()
    written.log.delete_records(-1)
    recovered = written.recovered()
    assert len(recovered.producers) == 0
    assert list(recovered.transaction_index) == []


def test_markers_that_are_not_committed_are_unstable_again() -> None:
    written = eventful()
    written.log.hold_high_watermark()
    written.end(3)
    written.recovered()
    assert written.log.last_stable_offset == 8
    written.log.advance_high_watermark(written.log.log_end_offset)
    assert written.log.last_stable_offset == written.log.log_end_offset


def test_a_control_batch_of_another_type_is_skipped() -> None:
    written = eventful()
    written.end(3)
    data = list(written.written)[-1]
    written.written[data] = written.written[data][0], None
    written.recovered()
    assert written.log.last_stable_offset == 8


def test_a_snapshot_and_later_batches_recover_the_last_batch_of_each() -> None:
    written = eventful()
    snapshot = take_snapshot(written.log)
    written.append(idempotent(6, producer_id=1))
    written.end(3)
    offsets_before = written.log.offsets
    recover_producers(written.log, written, now_ms=1_000, snapshot=snapshot)
    log = written.log
    assert (log.offsets, log.last_stable_offset) == (offsets_before, log.log_end_offset)
    one, two, three = (log.producers.last_entry(producer_id) for producer_id in (1, 2, 3))
    assert one is not None
    assert [batch.first_sequence for batch in one.batches()] == [4, 6]
    assert two is not None
    assert (two.producer_epoch, two.last_sequence, two.coordinator_epoch) == (1, 0, 3)
    assert three is not None
    assert (three.current_txn_first_offset, three.coordinator_epoch) == (-1, 3)
    assert log.aborted_transactions(0, 100) == [AbortedTxn(2, 7, 11, 8), AbortedTxn(3, 8, 15, 16)]


def test_a_snapshot_keeps_transactions_open_whose_start_is_before_it() -> None:
    written = eventful()
    snapshot = take_snapshot(written.log)
    recover_producers(written.log, written, now_ms=1_000, snapshot=snapshot)
    assert written.log.last_stable_offset == 8
    with pytest.raises(ApiError) as refused:
        written.append(idempotent(1, producer_id=3))
    assert refused.value.code == ErrorCode.INVALID_TXN_STATE


@pytest.mark.parametrize(("now_ms", "left"), [(1_499, [1, 2, 3]), (1_500, [3])])
def test_expired_entries_of_a_snapshot_are_skipped(now_ms: int, left: list[int]) -> None:
    written = eventful()
    snapshot = take_snapshot(written.log)
    recover_producers(written.log, written, now_ms=now_ms, snapshot=snapshot)
    assert sorted(entry.producer_id for entry in written.log.producers) == left


@pytest.mark.parametrize(("outlives_records", "left"), [(True, [1, 2, 3]), (False, [2, 3])])
def test_older_releases_skip_snapshot_entries_without_records(
    outlives_records: bool, left: list[int]
) -> None:
    written = eventful(ProducerStateOptions(outlives_records=outlives_records))
    snapshot = take_snapshot(written.log)
    written.log.delete_records(7)
    recover_producers(written.log, written, now_ms=1_000, snapshot=snapshot)
    assert sorted(entry.producer_id for entry in written.log.producers) == left


def test_recovered_producers_expire() -> None:
    log = eventful().recovered()
    assert sorted(log.producers.remove_expired_producers(1_500)) == [1, 2]


def test_a_marker_that_begins_the_log_is_recovered_once() -> None:
    written = WrittenRecords(ProducerStateOptions(completes_empty_transactions=True))
    written.end(7)
    assert list(written.recovered().transaction_index) == [AbortedTxn(7, 0, 0, 1)]


def test_the_batch_before_a_snapshot_is_not_replayed() -> None:
    written = WrittenRecords()
    written.append(idempotent(0))
    snapshot = take_snapshot(written.log)
    written.append(idempotent(1))
    recover_producers(written.log, written, now_ms=1_000, snapshot=snapshot)
    (entry,) = written.log.producers
    assert [batch.first_sequence for batch in entry.batches()] == [0, 1]


def test_transactions_of_a_snapshot_are_open_in_the_order_of_their_offsets() -> None:
    written = WrittenRecords()
    written.append(transactional(0, producer_id=9))
    written.append(transactional(0, producer_id=1))
    snapshot = take_snapshot(written.log)
    recover_producers(written.log, written, now_ms=1_000, snapshot=snapshot)
    assert list(written.log.producers.transactions) == [(0, 9), (1, 1)]
    written.end(1)
    assert written.log.last_stable_offset == 0
    written.end(9)
    assert written.log.last_stable_offset == 4


def test_a_transaction_that_begins_the_log_does_not_expire_with_a_snapshot() -> None:
    written = WrittenRecords()
    written.append(transactional(0))
    snapshot = take_snapshot(written.log)
    recover_producers(written.log, written, now_ms=1_000_000, snapshot=snapshot)
    assert list(written.log.producers.transactions) == [(0, 7)]


@pytest.mark.parametrize(("log_start_offset", "left"), [(1, [7]), (2, [])])
def test_older_releases_keep_a_producer_with_its_last_record(
    log_start_offset: int, left: list[int]
) -> None:
    written = WrittenRecords(ProducerStateOptions(outlives_records=False))
    written.append(idempotent(0))
    written.append(idempotent(1))
    snapshot = take_snapshot(written.log)
    written.log.delete_records(log_start_offset)
    recover_producers(written.log, written, now_ms=1_000, snapshot=snapshot)
    assert [entry.producer_id for entry in written.log.producers] == left


def test_discarded_producers_leave_nothing_unstable() -> None:
    written = eventful()
    forget_producers(written.log)
    assert len(written.log.producers) == 0
    assert written.log.last_stable_offset == written.log.high_watermark
    assert written.log.aborted_transactions(0, 100) == [AbortedTxn(2, 7, 11, 8)]
    written.end(3)
    assert len(written.log.transaction_index) == 1


def test_a_retry_is_found_among_batches_with_gaps() -> None:
    written = WrittenRecords()
    written.append(idempotent(6, records=3))
    forget_producers(written.log)
    written.append(idempotent(3, records=3))  # accepted, because the producer is unknown
    written.recovered()
    before = written.log.as_text()
    retried = written.log.append(idempotent(6, records=3), b"", leader_epoch=0, now_ms=0)
    assert (retried.is_duplicate, retried.base_offset) == (True, 0)
    assert written.log.as_text() == before
    written.append(idempotent(6))
    written.append(idempotent(7))


def test_one_producer_is_discarded_with_its_open_transaction() -> None:
    records = WrittenRecords()
    records.append(transactional(0, producer_id=7))
    records.append(idempotent(0, producer_id=8))
    reported: list[object] = []
    observation = Observation()
    observation.reporter = EventReporter(reported.append)
    records.log.observation = observation
    assert forget_producer(records.log, 7)
    assert not forget_producer(records.log, 7)
    assert [entry.producer_id for entry in records.log.producers] == [8]
    assert records.log.last_stable_offset == 2
    assert len(reported) == 1


def test_a_discarded_producer_leaves_unreplicated_markers_of_others_unstable() -> None:
    written = WrittenRecords()
    written.append(transactional(0, producer_id=7))
    written.append(transactional(0, producer_id=8))
    written.log.hold_high_watermark()
    written.end(8)
    assert forget_producer(written.log, 7)
    assert written.log.last_stable_offset == 1
    written.log.advance_high_watermark(3)
    assert written.log.last_stable_offset == 3
