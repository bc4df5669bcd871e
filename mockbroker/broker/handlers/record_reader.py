"""Finds single records inside batches, for the log that does not parse its batches."""

from mockbroker.protocol.records.batch import records_of
from mockbroker.protocol.types import Buffer


class RecordReader:
    """Reads batches with the codecs (the port `LogReader` of the log)."""

    def first_record_since(
        self, data: Buffer, timestamp_ms: int, start_offset: int
    ) -> tuple[int, int] | None:
        """Give (timestamp, offset) of the first record that is not older and not before."""
        for record in records_of(data):
            if record.timestamp >= timestamp_ms and record.offset >= start_offset:
                return record.timestamp, record.offset
        return None

    def latest_record(self, data: Buffer) -> tuple[int, int] | None:
        """Give (timestamp, offset) of the first record with the largest timestamp."""
        latest = max(records_of(data), key=lambda record: record.timestamp, default=None)
        return None if latest is None else (latest.timestamp, latest.offset)


RECORD_READER = RecordReader()
