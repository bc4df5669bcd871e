import pytest

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.schema.frame_stream import FrameStream, without_prefix
from mockbroker.protocol.schema.primitives import Length


def test_bytes_are_taken_up_to_the_limit() -> None:
    stream = FrameStream(b"abcdef")
    stream.limit = 4
    assert stream.take(3, "x") == b"abc"
    with pytest.raises(DecodeError, match="topics: 2 bytes wanted, 1 left"):
        stream.take(2, ".topics")
    assert stream.take(1, "x") == b"d"


def test_a_varint_is_taken_and_no_byte_more() -> None:
    stream = FrameStream(b"\x80\x01\x02")
    assert stream.take_uvarint("x") == 128
    assert stream.tell() == 2


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"", "end inside a varint"), (b"\x80", "end inside a varint"), (b"\x80" * 6, "longer than")],
)
def test_a_varint_that_does_not_end_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(DecodeError, match=rf"here: .*{why}"):
        FrameStream(data).take_uvarint("here")


def test_a_varint_ends_within_the_limit() -> None:
    stream = FrameStream(b"\x80\x01")
    stream.limit = 1
    with pytest.raises(DecodeError):
        stream.take_uvarint("x")


def test_a_length_is_compact_or_fixed() -> None:
    stream = FrameStream(b"\x03\0\x03\xff\xff\x00")
    lengths = [stream.take_length(length, "x") for length in (Length(None), Length("h"))]
    assert lengths == [2, 3]
    assert stream.take_length(Length("h"), "x") == -1
    assert stream.take_length(Length(None), "x") == -1


def test_rows_are_noted_for_a_dump_only() -> None:
    silent, noted = FrameStream(b"ab"), FrameStream(b"ab", [])
    for stream in (silent, noted):
        stream.take(2, "x")
        stream.note("(parsing).topics", "bytes", 0, b"ab")
    assert silent.spans is None
    assert noted.spans is not None
    [row] = noted.spans
    assert (row.path, row.kind, row.start, row.end, row.value) == ("topics", "bytes", 0, 2, b"ab")


def test_a_path_is_shown_without_its_root() -> None:
    assert without_prefix("(parsing).a.b[1]") == "a.b[1]"
    assert without_prefix(".a") == "a"
