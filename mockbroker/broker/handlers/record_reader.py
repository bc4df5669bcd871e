"""Search for single records inside batches, for the log, which does not parse its batches."""

from mockbroker.protocol.records.batch import parse_batch_header, records_of
from mockbroker.protocol.types import Buffer, TimestampType


class RecordReader:
    """Reader of batches with the codecs (the log's port `LogReader`)."""

    def first_record_since(
        self, data: Buffer, timestamp_ms: int, start_offset: int
    ) -> tuple[int, int] | None:
        """Return (timestamp, offset) of the first record at or after both limits."""
        for record in records_of(data):
            if record.timestamp >= timestamp_ms and record.offset >= start_offset:
                return record.timestamp, record.offset
        return None

    def latest_record(self, data: Buffer) -> tuple[int, int] | None:
        """Return (timestamp, offset) of the first record with the largest timestamp."""
        latest = max(records_of(data), key=lambda record: record.timestamp, default=None)
        return None if latest is None else (latest.timestamp, latest.offset)


class BatchEndReader(RecordReader):
    """Reader that knows the latest record of a batch only roughly, as up to 3.6 (KAFKA-16342)."""

    def latest_record(self, data: Buffer) -> tuple[int, int] | None:
        """Return the largest timestamp with the last offset, unless records differ visibly.

        The leader has seen the single records only of a batch without compression and with its
        producer's timestamps.
        """
        header = parse_batch_header(data)
        if header.compression or header.timestamp_type is TimestampType.LOG_APPEND_TIME:
            return header.max_timestamp, header.base_offset + header.last_offset_delta
        return super().latest_record(data)


RECORD_READER = RecordReader()
BATCH_END_READER = BatchEndReader()
