"""The result of a read."""

from mockbroker.state.log.log_slice import LogSlice


def test_repr_shows_counts_and_not_the_bytes() -> None:
    log_slice = LogSlice([bytes(3), bytes(4)], 7, 12)
    assert repr(log_slice) == "LogSlice(2 batches, size_bytes=7, next_offset=12)"
