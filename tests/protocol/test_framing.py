import pytest

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.framing import FrameBuffer, check_size, read_size, write_size

FRAMES = [b"first", b"", b"the third"]
STREAM = b"".join(write_size(len(frame)) + frame for frame in FRAMES)


def test_a_stream_is_cut_into_its_frames() -> None:
    assert list(FrameBuffer().feed(STREAM)) == FRAMES


@pytest.mark.parametrize("split", range(len(STREAM) + 1))
def test_frames_are_whole_wherever_the_stream_is_split(split: int) -> None:
    buffer = FrameBuffer()
    found = [*buffer.feed(STREAM[:split]), *buffer.feed(STREAM[split:])]
    assert found == FRAMES


def test_a_stream_may_come_byte_by_byte() -> None:
    buffer = FrameBuffer()
    assert [frame for byte in STREAM for frame in buffer.feed(bytes((byte,)))] == FRAMES


def test_a_frame_above_the_limit_is_refused_before_it_has_come() -> None:
    with pytest.raises(DecodeError, match=r"socket\.request\.max\.bytes=10"):
        list(FrameBuffer(10).feed(write_size(11)))


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(DecodeError, match="a frame of -1 bytes"):
        list(FrameBuffer().feed(b"\xff\xff\xff\xff"))


def test_a_size_up_to_the_limit_is_allowed() -> None:
    check_size(0, 10)
    check_size(10, 10)
    with pytest.raises(DecodeError):
        check_size(11, 10)


def test_sizes_are_four_bytes_big_end_first() -> None:
    assert write_size(258) == b"\0\0\x01\x02"
    assert read_size(b"\0\0\x01\x02") == (258,)
