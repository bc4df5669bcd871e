"""Search for single records inside batches, for the log, which does not parse its batches."""

from mockbroker.protocol.records.batch import records_of
from mockbroker.protocol.types import Buffer


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


RECORD_READER = RecordReader()
