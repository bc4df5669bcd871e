"""The port that builds and reads the state's own records."""

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.protocol.types import NO_SEQUENCE
from mockbroker.state.coordinator.log_records import LogRecords
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_recovery import recover_producers
from tests.state.log_building import partition_log


def end(log: PartitionLog, records: LogRecords, marker: EndTxnMarker) -> None:
    header, data = records.build_end_txn_marker(
        marker, base_offset=log.log_end_offset, leader_epoch=3, timestamp_ms=5
    )
    log.append_end_txn_marker(marker, header, data, leader_epoch=3, now_ms=5)


def test_a_marker_is_built_appended_and_read_back() -> None:
    log, marker = partition_log(), EndTxnMarker(7, 2, 9, is_commit=False)
    end(log, LOG_RECORDS, marker)
    (data,) = log.segments.active.buffers
    header = LOG_RECORDS.read_header(data)
    assert (header.is_control, header.is_transactional) == (True, True)
    assert (header.base_offset, header.base_sequence) == (0, NO_SEQUENCE)
    assert LOG_RECORDS.read_end_txn_marker(data) == marker
    before = log.as_text()
    recover_producers(log, LOG_RECORDS, now_ms=5)
    assert log.as_text() == before
