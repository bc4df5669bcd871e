"""Lazy import of the codec for the brokers' own records, at the first use."""

from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from mockbroker.state.coordinator.log_records import LogRecords


class LateLogRecords:
    """Proxy of `LogRecordsCodec` that imports the codec at the first call."""

    def __getattr__(self, name: str) -> Any:
        """Copy a method of the codec to this object."""
        # Imported late: only coordinators write such records.
        from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS

        method = getattr(LOG_RECORDS, name)
        setattr(self, name, method)
        return method


LATE_LOG_RECORDS: Final = cast("LogRecords", LateLogRecords())
