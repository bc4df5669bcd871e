"""Lazy import of the codec for the brokers' own records."""

from mockbroker.broker.internal_records.late_log_records import LATE_LOG_RECORDS, LateLogRecords
from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.state.coordinator.log_records import LogRecords


def test_late_log_records_delegate_to_the_codec() -> None:
    assert LATE_LOG_RECORDS.read_subscribed_topics == LOG_RECORDS.read_subscribed_topics
    methods = [name for name in vars(LogRecords) if not name.startswith("_")]
    assert methods
    for name in methods:
        assert getattr(LATE_LOG_RECORDS, name) == getattr(LOG_RECORDS, name)


def test_a_method_is_looked_up_once() -> None:
    late = LateLogRecords()
    assert "read_header" not in vars(late)
    assert late.read_header is vars(late)["read_header"]
