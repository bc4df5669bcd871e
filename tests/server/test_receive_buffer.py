"""Memory without zeros."""

import sys

import pytest

from mockbroker.server.receive_buffer import LargeFrame, allocator, begin_large_frame, unzeroed


def test_a_buffer_has_the_requested_size_and_is_writable() -> None:
    buffer = unzeroed(640 * 1024)
    buffer[:] = b"x" * len(buffer)
    assert len(buffer) == 640 * 1024
    assert buffer.count(b"x") == 640 * 1024


def test_a_python_without_the_function_gives_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ctypes", None)
    allocator.cache_clear()
    try:
        assert unzeroed(3) == b"\x00\x00\x00"
    finally:
        allocator.cache_clear()


@pytest.mark.parametrize(
    ("size_bytes", "begins"), [(5, False), (6, True), (100, True), (101, False), (-1, False)]
)
def test_a_large_frame_begins_if_it_goes_on_and_is_allowed(size_bytes: int, begins: bool) -> None:
    received = memoryview(size_bytes.to_bytes(4, signed=True) + b"first")
    frame = begin_large_frame(received, 100)
    assert (frame is not None) == begins
    assert frame is None or (bytes(frame.data[:5]), len(frame.room)) == (b"first", size_bytes - 5)


def test_a_large_frame_grows_as_its_bytes_arrive() -> None:
    frame = LargeFrame(100_000, memoryview(b"ab"))
    rooms: list[int] = []
    while not frame.is_whole:
        rooms.append(len(frame.room))
        frame.room[:] = b"c" * len(frame.room)
        frame.fill(len(frame.room))
    assert rooms == [16_384 - 2, 3 * 16_384, 100_000 - 4 * 16_384]
    assert frame.data == b"ab" + b"c" * 99_998
