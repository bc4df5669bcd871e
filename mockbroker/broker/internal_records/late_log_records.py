"""The codec of the brokers' own records, imported when the first of them is written or read."""

from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from mockbroker.state.coordinator.log_records import LogRecords


class LateLogRecords:
    """Has the methods of `LogRecordsCodec`, each from its first call on."""

    def __getattr__(self, name: str) -> Any:
        """Take over a method of the codec."""
        from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS

        method = getattr(LOG_RECORDS, name)
        setattr(self, name, method)
        return method


LATE_LOG_RECORDS: Final = cast("LogRecords", LateLogRecords())
