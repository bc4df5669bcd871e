"""Frame sizes, valid and invalid."""

import pytest

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.framing import check_size, read_size, sized


def test_a_size_above_the_limit_is_refused() -> None:
    with pytest.raises(DecodeError, match=r"socket\.request\.max\.bytes=10"):
        check_size(11, 10)


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(DecodeError, match="a frame of -1 bytes"):
        check_size(-1, 10)


def test_a_size_up_to_the_limit_is_allowed() -> None:
    check_size(0, 10)
    check_size(10, 10)


def test_sizes_are_four_bytes_big_end_first() -> None:
    assert read_size(b"\0\0\x01\x02") == (258,)


def test_a_frame_is_written_after_its_size() -> None:
    assert sized(b"abc") == b"\0\0\0\x03abc"
