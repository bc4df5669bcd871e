"""The result of an append."""

from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.producer.producer_state_entry import BatchMetadata
from tests.state.log_building import append, partition_log


def test_repr_shows_all_fields() -> None:
    assert repr(append(partition_log())) == (
        "LogAppendInfo(base_offset=0, is_duplicate=False, last_offset=0, "
        "log_append_time_ms=-1, log_start_offset=0)"
    )


def test_a_retry_is_answered_with_the_first_append() -> None:
    batch = BatchMetadata(last_sequence=14, last_offset=104, offset_delta=4, timestamp_ms=77)
    assert repr(LogAppendInfo.of_retry(batch, 200)) == (
        "LogAppendInfo(base_offset=100, is_duplicate=True, last_offset=104, "
        "log_append_time_ms=77, log_start_offset=200)"
    )
