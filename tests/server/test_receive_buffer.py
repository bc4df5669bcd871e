"""Memory without zeros."""

import sys

import pytest

from mockbroker.server.receive_buffer import allocator, unzeroed


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
